import type { EventEnvelope, InternalBaseTransportOptions, Transport } from "@sentry/core";
import { createTransport } from "@sentry/nextjs";
import { reportSent } from "./reports-under-way.ts";
import type { WaitingReports } from "./waiting-reports.ts";

/**
 * The server SDK's transport: it hands every envelope to the outbox before `send` returns, and sends
 * nothing over the network. `flush` hands over what has waited for the outbox.
 */
export function outboxTransport(reports: WaitingReports) {
  return (options: InternalBaseTransportOptions): Transport => {
    const transport = createTransport(options, async ({ body }) => {
      await reports.add(typeof body === "string" ? Buffer.from(body) : body);
      return { statusCode: 200 };
    });
    return {
      send(envelope) {
        const sent = transport.send(envelope);
        const [{ event_id }, [[item] = []]] = envelope as EventEnvelope;
        if (event_id !== undefined && item?.type === "event") reportSent(event_id, sent);
        return sent;
      },
      flush(timeout) {
        reports.retry();
        return transport.flush(timeout);
      },
    };
  };
}
