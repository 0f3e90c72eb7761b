import { getClient } from "@sentry/browser";
import { expect, test, vi } from "vitest";

test("integrations that are named at once come with the SDK, in a list or by a function", async () => {
  Object.assign(window, { __NEXT_DATA__: { page: "/server", buildId: "b" } });
  const settings = { release: "1", environment: "test", tracesSampleRate: 0 };
  vi.stubGlobal("fetch", async () => Response.json(settings));
  const {
    extraErrorDataIntegration,
    browserTracingIntegration,
    addIntegration,
    captureConsoleIntegration,
  } = await import("@/packages/sentry/src/index.browser");
  const { start } = await import("@/packages/sentry/src/browser/sdk/start");
  addIntegration(captureConsoleIntegration());
  await start([], {
    integrations: (defaults) => [
      ...defaults,
      extraErrorDataIntegration(),
      // Page loads are measured without it.
      browserTracingIntegration(),
      { name: "Own" },
    ],
  });
  const names = ["ExtraErrorData", "Own", "Breadcrumbs"];
  for (const name of names) expect(getClient()?.getIntegrationByName(name), name).toBeDefined();
  expect(getClient()?.getIntegrationByName("BrowserTracing")).toBeUndefined();
  await expect.poll(() => getClient()?.getIntegrationByName("CaptureConsole")).toBeDefined();
  vi.unstubAllGlobals();
});
