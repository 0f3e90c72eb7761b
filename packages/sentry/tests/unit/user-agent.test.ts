import { expect, test } from "vitest";
import { readUserAgent } from "@/packages/sentry/src/shared/user-agent";

const webkit = "AppleWebKit/537.36 (KHTML, like Gecko)";

test.each([
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/156.0.0.0 Safari/537.36 Edg/156.0.0.0`,
    { browser: { name: "Edge", version: "156" }, os: { name: "Windows" } },
  ],
  [
    `Mozilla/5.0 (X11; Linux x86_64) ${webkit} HeadlessChrome/156.0.0.0 Safari/537.36`,
    { browser: { name: "Chrome", version: "156" }, os: { name: "Linux" } },
  ],
  [
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:150.0) Gecko/20100101 Firefox/150.0",
    { browser: { name: "Firefox", version: "150" }, os: { name: "macOS" } },
  ],
  [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Mobile/15E148 Safari/604.1",
    { browser: { name: "Safari", version: "19" }, os: { name: "iOS" } },
  ],
  [
    `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${webkit} Chrome/156.0.0.0 Safari/537.36`,
    { browser: { name: "Chrome", version: "156" }, os: { name: "Chrome OS" } },
  ],
  ["curl/8.5.0", {}],
  ["", {}],
  [`${"x".repeat(10_000)} Firefox/150`, {}],
])("%s", (header, found) => {
  expect(readUserAgent(header)).toEqual(found);
});
