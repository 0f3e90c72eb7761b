import { createTransport } from "@sentry/nextjs";
import type { WaitingReports } from "./waiting-reports";

type TransportOptions = Parameters<typeof createTransport>[0];
type Transport = ReturnType<typeof createTransport>;
type Envelope = Parameters<Transport["send"]>[0];

/**
 * The outbox bounds what it has not yet written, and `WaitingReports` what waits for it; a bound of
 * the SDK's would drop without counting.
 */
export const pendingLimit = Number.POSITIVE_INFINITY;

/** How long, and how many, transactions wait for each other. */
const holdMs = 500;
const holdLimit = 100;

/**
 * The server SDK's way out: every envelope goes into the outbox, none over the network.
 *
 * Errors go at once. Transactions wait for each other a moment, since one commit to disk costs more
 * than all else that a sampled request does; `flush` sends them on before it returns, and what the
 * outbox could not take so far.
 */
export function outboxTransport(reports: WaitingReports) {
  return (options: TransportOptions): Transport => {
    const direct = createTransport({ ...options, bufferSize: pendingLimit }, async ({ body }) => {
      await reports.add(typeof body === "string" ? Buffer.from(body) : body);
      return { statusCode: 200 };
    });
    const held: Envelope[] = [];
    let timer: NodeJS.Timeout | undefined;
    const release = () => {
      clearTimeout(timer);
      timer = undefined;
      for (const envelope of held.splice(0)) void direct.send(envelope);
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
        reports.retry();
        return direct.flush(timeout);
      },
    };
  };
}

function isTransaction([, [item]]: Envelope): boolean {
  return item?.[0].type === "transaction";
}
