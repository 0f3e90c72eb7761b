import type { Envelope, InternalBaseTransportOptions, Transport } from "@sentry/core";
import { createTransport } from "@sentry/nextjs";
import type { WaitingReports } from "./waiting-reports";

/**
 * No limit by the SDK, which would drop reports without counting them. The outbox limits what it has
 * not yet written, and `WaitingReports` limits what waits for the outbox.
 */
export const pendingLimit = Number.POSITIVE_INFINITY;

/** Transactions are held back for so many milliseconds, and up to so many of them. */
const holdMs = 500;
const maxHeld = 100;

/**
 * The server SDK's transport: it puts every envelope into the outbox and sends nothing over the
 * network.
 *
 * Errors go at once. Transactions are held back and go together, because one commit to disk costs
 * more than all other reporting of a sampled request. `flush` appends them before it returns, and
 * with them the reports that wait for the outbox.
 */
export function outboxTransport(reports: WaitingReports) {
  return (options: InternalBaseTransportOptions): Transport => {
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
        if (held.length >= maxHeld) release();
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
