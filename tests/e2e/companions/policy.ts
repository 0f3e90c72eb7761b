import { readFileSync } from "node:fs";
import { hashSource } from "@/lib/policy/content-security-policy";

/**
 * The text of a `lib/policy/policy.ts` with every example of docs/security.md, and the hash of an
 * inline script. In place of `https://NAME.example` it has `NAME.localhost`, at any port: Chromium
 * takes those for this machine.
 */
export function policyOfExamples(inlineScript: string): string {
  const sources: Record<string, string[]> = { "script-src": [hashSource(inlineScript)] };
  const examples = readFileSync("docs/security.md", "utf8").matchAll(/^"([a-z-]+)": (\[.*\]),$/gm);
  for (const [, directive = "", list = "[]"] of examples) {
    const local = list.replace(/https:\/\/(\w+)\.example/g, "http://$1.localhost:*");
    sources[directive] = [...(sources[directive] ?? []), ...JSON.parse(local)];
  }
  return readFileSync("lib/policy/policy.ts", "utf8").replace(
    "allowedSources: AllowedSources = {}",
    `allowedSources: AllowedSources = ${JSON.stringify(sources)}`,
  );
}
