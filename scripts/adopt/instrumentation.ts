import type { Instrumentation } from "next";

// Next also compiles this file for its edge runtime, which can load none of these modules.
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME === "nodejs") {
    const { refuseOldNode } = await import("@/lib/base/config/node-version.cjs");
    refuseOldNode();
    await import("@/lib/sentry/server/request-errors");
    const { startReportingAlone } = await import("@/lib/sentry/server/start");
    await startReportingAlone(Boolean(process.env.NEXT_MANUAL_SIG_HANDLE));
  }
}

export const onRequestError: Instrumentation.onRequestError = async (error, request, context) => {
  if (process.env.NEXT_RUNTIME === "nodejs") {
    const { reportRequestError } = await import("@/lib/sentry/server/request-errors");
    await reportRequestError(error, request, context);
  }
};
