import { execFileSync } from "node:child_process";
import { expect, onTestFinished, test, vi } from "vitest";
import { logConsole } from "@/packages/sentry/src/server/console";

/** What `act` has written to the log. */
function linesOf(act: () => void): [level: string, text: string][] {
  const before = { warn: console.warn, error: console.error };
  onTestFinished(() => void Object.assign(console, before));
  const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  onTestFinished(() => write.mockRestore());
  logConsole();
  act();
  return write.mock.calls.map(([line]) => {
    const [, level = "", text = ""] = /^(\w+): (.*)/s.exec(String(line)) ?? [];
    return [level, text];
  });
}

test("what Node and packages warn of is no error", () => {
  // A process of its own: in this one, the console is the test runner's.
  const script = `console.error = (text) => console.log(process.pid + " " + text);
    process.emitWarning("SECURITY WARNING: The SSL modes differ.");`;
  const said = execFileSync(process.execPath, ["-e", script], { encoding: "utf8" });
  const [, pid = "", text = ""] = /^(\d+) (.*)/s.exec(said) ?? [];
  const lines = linesOf(() => console.error(text.replace(pid, String(process.pid))));
  expect(lines).toEqual([["warn", expect.stringContaining("SECURITY WARNING")]]);
});

test("what code writes as an error stays one", () => {
  const lines = linesOf(() => console.error("(node:1) is not this process"));
  expect(lines.map(([level]) => level)).toEqual(["error"]);
});
