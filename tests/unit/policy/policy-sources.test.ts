import { expect, test } from "vitest";
import type { AllowedSources } from "@/lib/policy/policy";
import { allowsUrl, checkSources } from "@/lib/policy/policy-sources";

test("origins, paths, subdomains, ports, schemes and hashes are valid", () => {
  checkSources({
    "script-src": [
      "https://a.example",
      "https://a.example/folder/",
      "https://*.a.example",
      "http://localhost:3001",
      "http://localhost:*",
      "'wasm-unsafe-eval'",
      "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='",
    ],
    "connect-src": ["wss://a.example"],
    "img-src": ["blob:"],
    "font-src": ["data:"],
  });
});

test.each([
  ["https://a.example; script-src *"],
  ["https://a.example/;x"],
  ["https://a.example/a b"],
  ["https://a.example/a,b"],
  ["https://a.example/?query"],
  ["https://*"],
  ["https://"],
  ["https://a..example"],
  ["'unsafe-inline'"],
  ["unsafe-inline"],
  ["a.example"],
  ["https:"],
  ["*"],
  ["'sha256-'"],
  [""],
])("%j is refused with a sentence that names it", (source) => {
  const allowed = { "img-src": ["https://good.example", source] } as AllowedSources;
  expect(() => checkSources(allowed)).toThrow(
    `lib/policy/policy.ts has sources that can't be used. Write an origin such as "https://example.com", with or without a path, or a hash such as "'sha256-…'":\n  img-src: ${JSON.stringify(source)}`,
  );
});

test("the types refuse what would weaken the policy", () => {
  const weak: AllowedSources = {
    // @ts-expect-error
    "script-src": ["'unsafe-inline'"],
    // @ts-expect-error
    "style-src": ["data:"],
    // @ts-expect-error
    "frame-src": ["video.example"],
  };
  expect(() => checkSources(weak)).toThrow("unsafe-inline");
  // @ts-expect-error
  const misspelt: AllowedSources = { "image-src": ["https://a.example"] };
  expect(misspelt).toBeDefined();
});

test.each([
  ["https://a.example", "https://a.example/x.js", true],
  ["https://a.example", "https://a.example.evil/x.js", false],
  ["https://a.example", "https://b.example/x.js", false],
  ["https://a.example", "https://a.example:8443/x.js", false],
  ["https://a.example:*", "https://a.example:8443/x.js", true],
  ["https://*.example", "https://a.example/x.js", true],
  ["https://*.example", "https://a.b.example/x.js", true],
  ["https://*.a.example", "https://a.example/x.js", false],
  ["https://a.example/x.js", "https://a.example/x.js?v=1", true],
  ["https://a.example/x.js", "https://a.example/x.jsx", false],
  ["https://a.example/lib/", "https://a.example/lib/x.js", true],
  ["https://a.example/lib/", "https://a.example/x.js", false],
  ["https://a.example/a+b.js", "https://a.example/aab.js", false],
])("%s for %s: %s", (source, url, allowed) => {
  expect(allowsUrl([source], new URL(url))).toBe(allowed);
});
