import { createServer, type IncomingMessage, ServerResponse } from "node:http";
import { afterEach, beforeEach, expect, test } from "vitest";
import { defaultLocale, directionOf, locales } from "@/lib/messages/locales";
import { replaceBareErrors } from "@/lib/server/fallback-error-page";
import { captureFailure } from "@/packages/sentry/src/server/references";
import { type CurrentRequest, shared } from "@/packages/sentry/src/server/reporting-state";
import { localePrefix } from "@/tests/support/languages";
import { listen } from "@/tests/support/listening";
import { catalogue } from "@/tests/support/texts";

const captured: string[] = [];
let current: CurrentRequest | undefined;

beforeEach(() => {
  captured.length = 0;
  current = undefined;
  shared().reporter = {
    capture(_error, eventId) {
      captured.push(eventId);
      return eventId;
    },
    currentRequest: () => current,
    traceMeta: () => undefined,
    flush: () => {},
  };
});

afterEach(() => {
  shared().reporter = undefined;
});

/** A server on whose responses alone the fallback error page is installed. */
async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  class Watched<R extends IncomingMessage> extends ServerResponse<R> {}
  replaceBareErrors(Watched.prototype as unknown as ServerResponse);
  const server = createServer({ ServerResponse: Watched as typeof ServerResponse }, answer);
  return (await listen(server)).origin;
}

/** As Next does where its own error page fails: with a head or without, by way of compression or not. */
const bareResponses: [string, (response: ServerResponse) => void][] = [
  ["the router's", (response) => response.end("Internal Server Error")],
  [
    "the renderer's",
    (response) => {
      response.setHeader("Content-Type", "text/plain");
      response.setHeader("Content-Length", 21);
      response.setHeader("ETag", '"x"');
      response.end("Internal Server Error");
    },
  ],
  [
    "one whose head is written first",
    (response) => {
      response.setHeader("Content-Length", 21);
      response.writeHead(response.statusCode);
      response.end("Internal Server Error");
    },
  ],
];

test.each(bareResponses)("%s bare text becomes a page with a reference", async (_name, answer) => {
  const origin = await serve((_request, response) => {
    response.statusCode = 500;
    answer(response);
  });
  const response = await fetch(`${origin}/server`, { headers: { Accept: "text/html" } });
  const html = await response.text();
  expect(response.status).toBe(500);
  expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect(response.headers.get("etag")).toBeNull();
  expect(html).toContain("<h1>Application error</h1>");
  expect(captured).toHaveLength(1);
  expect(html).toContain(`<code data-fact="reference" dir="ltr">${captured[0]}</code>`);
});

test("the reference is that of what failed in the request", async () => {
  let reference = "";
  const origin = await serve((_request, response) => {
    current = { failures: new Map(), logged: new Map() };
    reference = captureFailure(new Error("x"), { mechanism: "test" });
    response.statusCode = 500;
    response.end("Internal Server Error");
  });
  expect(await (await fetch(origin)).text()).toContain(reference);
  expect(captured).toEqual([reference]);
});

test.each([
  ...locales.map((locale) => [`${localePrefix(locale)}/server`, locale] as const),
  ["//elsewhere.example/%", defaultLocale] as const,
])("the page for %s is in %s, and leads to no other site", async (path, locale) => {
  const origin = await serve((_request, response) => {
    response.statusCode = 500;
    response.end("Internal Server Error");
  });
  const html = await (await fetch(origin + path)).text();
  expect(html).toContain(`lang="${locale}" dir="${directionOf(locale)}"`);
  expect(html).toContain(catalogue[locale].errors.applicationError);
  expect(html).not.toContain("elsewhere");
});

test.each([
  ["another status", 503, "Internal Server Error", "/", "text/html"],
  ["other words", 500, "Something else entirely", "/", "text/html"],
  ["a script that asks", 500, "Internal Server Error", "/", "application/json"],
  ["an API route", 500, "Internal Server Error", "/api/x", "*/*"],
  ["page data", 500, "Internal Server Error", "/_next/data/x/y.json", "*/*"],
])("%s passes unchanged", async (_name, status, words, path, accept) => {
  const origin = await serve((_request, response) => {
    response.statusCode = status;
    response.end(words);
  });
  const response = await fetch(origin + path, { headers: { Accept: accept } });
  expect(response.status).toBe(status);
  expect(await response.text()).toBe(words);
  expect(captured).toEqual([]);
});

test("a HEAD request gets the page's head", async () => {
  const origin = await serve((_request, response) => {
    response.statusCode = 500;
    response.setHeader("Content-Type", "text/plain");
    response.setHeader("Content-Length", 21);
    response.end(null);
  });
  const response = await fetch(origin, { method: "HEAD" });
  expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(await response.text()).toBe("");
});
