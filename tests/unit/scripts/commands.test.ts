import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";

/*
 * npm appends the arguments of a command to its line in package.json, and gives the line to a shell.
 * Of what runs long, `exec` makes the shell the process itself, so that it gets npm's signals. On
 * Windows, cmd knows no `exec`; there `&` ends that command, and what follows runs.
 */
const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as {
  scripts: Record<string, string>;
};

const commands = Object.entries(scripts).filter(([, line]) => line.includes("scripts/node.cjs"));

/** Runs a line as npm does, with a stand-in for the bootstrap. */
async function runLine(line: string) {
  const folder = mkdtempSync(join(tmpdir(), "signpost-commands-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "scripts"));
  const standIn = "console.log(JSON.stringify([process.pid, ...process.argv.slice(2)]));";
  writeFileSync(join(folder, "scripts/node.cjs"), standIn);
  const child = spawn("sh", ["-c", line], { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
  const [stdout] = await Promise.all([text(child.stdout), once(child, "close")]);
  const [pid, ...args] = JSON.parse(stdout);
  return { isShell: pid === child.pid, args };
}

test.each(commands)("npm run %s passes its arguments on", async (_name, line) => {
  const { args } = await runLine(`${line} "a b" --c`);
  expect(args.slice(-2)).toEqual(["a b", "--c"]);
});

/** Over in seconds, so that nothing is left running. */
const short = ["check", "consistency", "types"];

test.each(commands.filter(([name]) => !short.includes(name)))(
  "npm run %s replaces the shell, and cmd runs the same program",
  async (_name, line) => {
    const { isShell, args } = await runLine(line);
    expect(isShell).toBe(true);
    const [, afterwards] = line.split("&");
    expect(afterwards?.trim()).toBe(`node scripts/node.cjs ${args.join(" ")}`);
  },
);
