import { spawnSync } from "node:child_process";
import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import { nodeFault } from "@/lib/server/node-version.cjs";

test("a Node before 24.15 is refused by name, no other is", () => {
  for (const version of ["12.22.0", "22.23.3", "24.0.0", "24.14.9"]) {
    expect(nodeFault(version, "24.15")).toBe(
      `Signpost needs Node 24.15 or newer, and this is Node ${version}`,
    );
  }
  for (const version of ["24.15.0", "24.21.3", "25.1.0", "26.0.0"]) {
    expect(nodeFault(version, "24.15")).toBeUndefined();
  }
});

/** Reads next.config.js as Next does, before anything else of the app. */
function readConfig(node: string, ...options: string[]) {
  const { status, stderr } = spawnSync(node, [...options, "-e", 'import("./next.config.js")'], {
    encoding: "utf8",
    // What this Node was told is not for that one.
    env: { ...process.env, NODE_OPTIONS: "" },
  });
  return { status, stderr };
}

const refusal = (version: string) => ({
  status: 1,
  stderr: expect.stringMatching(
    `^Signpost needs Node .* or newer, and this is Node ${version}: install a newer one from https://nodejs.org.\n$`,
  ),
});

test("next.config.js refuses an old Node before it reads what only a newer one can", () => {
  const asOld = "Object.defineProperty(process.versions, 'node', { value: '20.20.2' })";
  expect(
    readConfig(
      process.execPath,
      "--no-experimental-strip-types",
      `--import=data:text/javascript,${asOld}`,
    ),
  ).toEqual(refusal("20.20.2"));
});

test("so it does on an old Node itself", ({ skip }) => {
  const nodes = (process.env.PATH ?? "").split(delimiter).map((folder) => join(folder, "node"));
  const versionOf = (node: string) =>
    spawnSync(node, ["-p", "process.versions.node"], { encoding: "utf8" }).stdout?.trim();
  const old = nodes.find((node) => nodeFault(versionOf(node) || "99"));
  if (!old) return skip("There is no Node on the PATH that is too old.");
  expect(readConfig(old)).toEqual(refusal(versionOf(old)));
});
