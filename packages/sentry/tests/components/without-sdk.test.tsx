import { afterEach, beforeEach, expect, test, vi } from "vitest";

beforeEach(() => {
  localStorage.clear();
  // Takes `fetch` as it is when it is loaded.
  vi.resetModules();
});

afterEach(() => vi.unstubAllGlobals());

const json = "application/json; charset=utf-8";
const html = "text/html";

// What the tunnel or a proxy refuses, too: the SDK of a later page decides by its answer, tunnel-transport.test.tsx.
test.each([
  [200, json, "is done"],
  [400, json, "is stored"],
  [413, json, "is stored"],
  [408, json, "is stored"],
  [429, json, "is stored"],
  [503, json, "is stored"],
  [200, html, "is stored"],
  [502, html, "is stored"],
  [403, html, "is stored"],
  [404, html, "is stored"],
])("a report that is answered with %i in %s %s", async (status, type, what) => {
  vi.stubGlobal(
    "fetch",
    async () => new Response("", { status, headers: { "content-type": type } }),
  );
  const { sendFromPage } = await import("@/packages/sentry/src/browser/first-load/without-sdk");
  await sendFromPage("an envelope");
  expect(Object.values(localStorage)).toEqual(what === "is stored" ? ["an envelope"] : []);
});
