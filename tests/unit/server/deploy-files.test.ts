import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { appVariables } from "@/lib/config";
import { variables } from "@/packages/sentry/src/shared/environment/runtime";

/** Of Node, Next and its standalone server. */
const others = ["NODE_ENV", "NODE_OPTIONS", "HOSTNAME", "PORT", "NEXT_TELEMETRY_DISABLED"];

test.each([
  ["deploy/kubernetes.yml", /name: ([A-Z_]+), value|--from-literal=([A-Z_]+)=/g],
  ["deploy/signpost@.service", /(?<=^Environment=.*)\b([A-Z_]{3,})=/gm],
])("%s sets variables that something reads, and asks addresses that there are", (file, names) => {
  const text = readFileSync(file, "utf8");
  const set = [...text.matchAll(names)].map(([, one, other]) => one ?? other ?? "");
  expect(set.length).toBeGreaterThan(3);
  for (const name of set) expect([...variables, ...appVariables, ...others]).toContain(name);
  // A comment shows one under a base path.
  const asked = [...text.matchAll(/(?<=path: )\/api\/[\w/]+/g)].map(([path]) => path);
  for (const path of asked) expect(existsSync(`pages${path}.ts`), path).toBe(true);
});
