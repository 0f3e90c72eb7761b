import { expect, test, vi } from "vitest";

vi.mock("@sentry/nextjs", () => {
  throw new Error("The SDK is loaded.");
});
vi.mock("@sentry/core", () => {
  throw new Error("The SDK is loaded.");
});

// Next loads all pages and API routes as a server starts, with an SDK of their own beside that of instrumentation.ts.
test("what the error page and API routes use of the package loads no SDK", async () => {
  const used = await Promise.all([
    import("@/packages/sentry/src/server/captures"),
    import("@/packages/sentry/src/server/next-request"),
    import("@/packages/sentry/src/server/relay"),
    import("@/packages/sentry/src/server/request-errors"),
    import("@/packages/sentry/src/server/serving"),
  ]);
  expect(used).toHaveLength(5);
});
