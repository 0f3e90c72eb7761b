import { createTransport } from "@sentry/nextjs";
import { log } from "@/lib/http/log";

type TransportOptions = Parameters<typeof createTransport>[0];
type Transport = ReturnType<typeof createTransport>;
type Envelope = Parameters<Transport["send"]>[0];

/** More than one commit of the outbox is likely to hold; beyond it the SDK drops. */
export const pendingLimit = 1000;

/** How long, and how many, transactions wait for each other. */
const holdMs = 500;
const holdLimit = 100;

/**
 * The server SDK's way out: every envelope goes into the outbox, none over the network.
 *
 * Errors go at once. Transactions wait for each other a moment, since one commit to disk costs more
 * than all else that a sampled request does; `flush` sends them on before it returns.
 *
 * @param append stores one serialised envelope, and settles once it is on disk
 */
export function outboxTransport(append: (envelope: Uint8Array) => Promise<void>) {
  return (options: TransportOptions): Transport => {
    const direct = createTransport({ ...options, bufferSize: pendingLimit }, async ({ body }) => {
      try {
        await append(typeof body === "string" ? Buffer.from(body) : body);
        return { statusCode: 200 };
      } catch (error) {
        log("error", "server report lost", { cause: String(error) });
        throw error;
      }
    });
    const held: Envelope[] = [];
    let timer: NodeJS.Timeout | undefined;
    const release = () => {
      clearTimeout(timer);
      timer = undefined;
      // What can't be stored was logged above, and there is nobody else to tell.
      for (const envelope of held.splice(0)) direct.send(envelope).then(null, () => {});
    };
    return {
      send(envelope) {
        if (!isTransaction(envelope)) return direct.send(envelope);
        held.push(envelope);
        if (held.length >= holdLimit) release();
        else timer ??= setTimeout(release, holdMs).unref();
        return Promise.resolve({});
      },
      flush(timeout) {
        release();
        return direct.flush(timeout);
      },
    };
  };
}

function isTransaction([, [item]]: Envelope): boolean {
  return item?.[0].type === "transaction";
}
