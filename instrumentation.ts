import type { Instrumentation } from "next";

// Next also compiles this file for its edge runtime, which can load none of these modules.
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME === "nodejs") {
    // Before anything else: a Node that is too old would end in the database without a word.
    const { refuseOldNode } = await import("@/lib/base/config/node-version.cjs");
    refuseOldNode();
    // Now, and not with the first error: Turbopack remembers for ever a file that could not be read.
    await import("@/lib/sentry/server/request-errors");
    const { startServer } = await import("@/lib/server/start");
    await startServer();
  }
}

export const onRequestError: Instrumentation.onRequestError = async (error, request, context) => {
  if (process.env.NEXT_RUNTIME === "nodejs") {
    const { reportRequestError } = await import("@/lib/sentry/server/request-errors");
    await reportRequestError(error, request, context);
  }
};
