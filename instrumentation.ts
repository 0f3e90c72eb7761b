import * as Sentry from "@signpost/sentry";

export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME === "nodejs") {
    // Before anything else: a Node that is too old would end in the database without a word.
    const { refuseOldNode } = await import("@/lib/server/node-version.cjs");
    refuseOldNode();
    const { startServer } = await import("@/lib/server/start");
    await startServer();
  }
}

export const onRequestError = Sentry.captureRequestError;
