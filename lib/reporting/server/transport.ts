import { createTransport } from "@sentry/nextjs";
import { log } from "@/lib/http/log";

type TransportOptions = Parameters<typeof createTransport>[0];

/** More than one commit of the outbox is likely to hold; beyond it the SDK drops. */
export const pendingLimit = 1000;

/**
 * The server SDK's way out: every envelope goes into the outbox, none over the network.
 *
 * @param append stores one serialised envelope, and settles once it is on disk
 */
export function outboxTransport(append: (envelope: Uint8Array) => Promise<void>) {
  return (options: TransportOptions) =>
    createTransport({ ...options, bufferSize: pendingLimit }, async ({ body }) => {
      try {
        await append(typeof body === "string" ? Buffer.from(body) : body);
        return { statusCode: 200 };
      } catch (error) {
        log("error", "server report lost", { cause: String(error) });
        throw error;
      }
    });
}
