import { expect, test } from "vitest";
import type { AllowedSources } from "@/lib/policy/policy";
import { checkSources } from "@/lib/policy/policy-sources";

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
