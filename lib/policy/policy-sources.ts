import type { AllowedSources } from "@/lib/policy/policy";

const grammar = [
  /^(?:https?|wss?):\/\/(?:\*\.)?[\w-]+(?:\.[\w-]+)*(?::(?:\d+|\*))?(?:\/[^\s;,?#]*)?$/,
  /^(?:data|blob):$/,
  /^'wasm-unsafe-eval'$/,
  /^'sha(?:256|384|512)-[\w+/-]+={0,2}'$/,
];

/**
 * Checks that a browser would understand every source. It ignores one that it does not understand,
 * and a `;` would begin another directive. The types say which kind of source a directive takes.
 * Source: https://www.w3.org/TR/CSP3/#framework-directive-source-list
 *
 * @throws Error that names each faulty source
 */
export function checkSources(allowed: AllowedSources): void {
  const faults = Object.entries(allowed).flatMap(([directive, sources]: [string, string[]]) =>
    sources
      .filter((source) => !grammar.some((pattern) => pattern.test(source)))
      .map((source) => `\n  ${directive}: ${JSON.stringify(source)}`),
  );
  if (faults.length === 0) return;
  throw new Error(
    `lib/policy/policy.ts has sources that can't be used. Write an origin such as "https://example.com", with or without a path, or a hash such as "'sha256-…'":${faults.join("")}`,
  );
}
