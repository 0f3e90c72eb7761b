import { expect, test } from "vitest";
import { hashSource } from "@/lib/policy/content-security-policy";
import { scriptFault } from "@/lib/policy/script-fault";

const strategies = ["beforeInteractive", "afterInteractive", "lazyOnload", undefined];

test.each(strategies)("%s: a script of the app or of an allowed origin runs", (strategy) => {
  expect(scriptFault({ src: "/a.js", strategy })).toBeUndefined();
  const src = "https://a.example/a.js";
  expect(scriptFault({ src, strategy }, ["https://a.example"])).toBeUndefined();
  expect(scriptFault({ src: "//a.example/a.js", strategy }, ["https://a.example"])).toBeUndefined();
});

test.each(strategies)("%s: a foreign script fails with the line to add", (strategy) => {
  const expected =
    'The policy does not allow the script https://a.example/a.js?x. Add to lib/policy/policy.ts: "script-src": ["https://a.example"]';
  expect(scriptFault({ src: "https://a.example/a.js?x", strategy })).toBe(expected);
});

test.each(strategies)("%s: an inline script runs by its hash, and fails without", (strategy) => {
  for (const script of [
    { children: "start()" },
    { children: ["start(", ")"] },
    { dangerouslySetInnerHTML: { __html: "start()" } },
  ]) {
    const hash = hashSource("start()");
    expect(scriptFault({ ...script, strategy }, [hash])).toBeUndefined();
    expect(scriptFault({ ...script, strategy })).toBe(
      `The policy does not allow the inline script "start()". Put its text into a file under public/ and name it as src; or, if the text never changes, add to lib/policy/policy.ts: "script-src": ["${hash}"]`,
    );
  }
});

test("a script for a worker fails with what to use instead", () => {
  expect(scriptFault({ src: "/a.js", strategy: "worker" })).toContain('strategy="lazyOnload"');
});
