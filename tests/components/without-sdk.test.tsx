import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { sendFromPage } from "@/lib/sentry/browser/first-load/without-sdk";

beforeEach(() => localStorage.clear());

afterEach(() => vi.unstubAllGlobals());

const json = "application/json; charset=utf-8";
const html = "text/html";

test.each([
  [200, json, "is done"],
  [400, json, "is done"],
  [413, json, "is done"],
  [429, json, "is stored"],
  [503, json, "is stored"],
  [200, html, "is stored"],
  [403, html, "is stored"],
  [404, html, "is stored"],
])("a report that is answered with %i in %s %s", async (status, type, what) => {
  vi.stubGlobal(
    "fetch",
    async () => new Response("", { status, headers: { "content-type": type } }),
  );
  await sendFromPage("an envelope");
  expect(Object.values(localStorage)).toEqual(what === "is stored" ? ["an envelope"] : []);
});
