import * as Sentry from "@signpost/sentry";

export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME === "nodejs") {
    const { prepareServer, startServer } = await import("@/lib/server/start");
    prepareServer();
    await import("./sentry.server.config");
    await startServer();
  }
}

export const onRequestError = Sentry.captureRequestError;
