import http from "node:http";
import { expect, test } from "vitest";
import { maxParameters, refuseTargets } from "@/packages/sentry/src/server/refuse-targets";
import { onEachRequest } from "@/packages/sentry/src/server/request-steps";
import { listen } from "@/tests/support/listening";

const routes = ["/", "/blog/[slug]", "/shop/[[...path]]", "/api/[...all]"];
onEachRequest(() => [refuseTargets(routes, ["/base", "/assets"])]);

/** The target reaches the server as it stands here. */
async function answerTo(target: string) {
  const { port } = await listen((_request, response) => response.end("by Next"));
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    http.get({ port, path: target, agent: false }, resolve).on("error", reject);
  });
  const body = String(Buffer.concat(await response.toArray()));
  return response.statusCode === 200 ? body : [response.statusCode, JSON.parse(body).error];
}

test.each([
  "/blog/[slug]",
  "/blog/%5Bslug%5D",
  "/blog/[slug%5d?a=b",
  "/shop/base/de/blog/[slug]/",
  "/_next/data/build/de/blog/[slug].json",
  "/rewritten/[slug]",
  "/blog%2F[slug]",
  "/blog\\[slug]",
  "/base/_next/static/../../blog/[slug]",
  "/base/_next/static/%2e%2e/%2E./blog/%5Bslug%5D",
  "/base/_next/static/..\\..\\blog\\[slug]",
  "/base/_next/static/%2e%2e%5C%2e%2e%5Cblog/[slug]",
  "/base/old/_next/static/[slug]",
  "/shop/[[...path]]",
  "/api/[...all]",
])("the pattern of a page is no address: %s", async (target) => {
  expect(await answerTo(target)).toEqual([404, "not_found"]);
});

test.each([
  "/blog/slug",
  "/blog/[other]",
  "/blog/a[slug]",
  "/blog/%255Bslug%255D",
  "/blog/%",
  "/?path=/blog/[slug]",
  "/base/_next/static/chunks/pages/blog/%5Bslug%5D-0123.js",
  "/base/_next/static/chunks/pages/blog/%5Bslug%5D/part.js",
  "/assets/_next/static/chunks/pages/blog/[slug]/part.js",
])("what only looks like a pattern goes on: %s", async (target) => {
  expect(await answerTo(target)).toBe("by Next");
});

test.each(["/blog/[slug]#/_next/static/", "/blog/slug#a", "/?a#b"])(
  "no address has a fragment: %s",
  async (target) => {
    expect(await answerTo(target)).toEqual([400, "malformed"]);
  },
);

test.each(["a", "a=1", "a[]=b", ""])(
  "a query has 250 parameters at most, each of them %j",
  async (one) => {
    const query = (count: number) => `/search?${Array(count).fill(one).join("&")}`;
    expect(await answerTo(query(maxParameters))).toBe("by Next");
    expect(await answerTo(query(maxParameters + 1))).toEqual([400, "malformed"]);
  },
);
