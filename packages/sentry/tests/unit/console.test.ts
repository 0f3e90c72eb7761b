import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { logConsole } from "@/packages/sentry/src/server/console";
import { type CurrentRequest, shared } from "@/packages/sentry/src/server/reporting-state";
import { reportFailure } from "@/packages/sentry/src/server/request-errors";

let lines: string[];
let current: CurrentRequest | undefined;

beforeEach(() => {
  lines = [];
  current = undefined;
  const { warn, error } = console;
  logConsole();
  const said = vi.spyOn(process.stderr, "write").mockImplementation((line) => {
    lines.push(String(line).trim());
    return true;
  });
  onTestFinished(() => {
    said.mockRestore();
    Object.assign(console, { warn, error });
  });
  shared().reporter = {
    capture: (_error, eventId) => eventId,
    currentRequest: () => current,
    traceMeta: () => undefined,
    flush: () => {},
  };
});

afterEach(() => {
  shared().reporter = undefined;
  shared().logsConsole = false;
});

function inRequest(): void {
  current = { failures: new Map(), logged: new Map() };
}

/** When all lines are written. */
const told = () => new Promise((resolve) => setImmediate(setImmediate, resolve));

const failure = { route: "/server", mechanism: "test" };

test.each(["before", "after"])(
  "a failure is one line, with stack and reference, where Next writes the error %s it tells of it",
  async (order) => {
    const error = new Error("could not connect to /a?token=secret");
    for (let n = 0; n < 2; n += 1) {
      inRequest();
      if (order === "before") console.error(error);
      const reference = await reportFailure(error, failure, "GET");
      console.error(error);
      console.error("⨯", error);
      await told();
      expect(lines).toHaveLength(n + 1);
      expect(lines[n]).toMatch(/^error: request failed .*route=\/server/);
      expect(lines[n]).toContain(`reference=${reference}`);
      expect(lines[n]).toMatch(
        /message=Error: could not connect to \/a\?token=\[Filtered\]\n +at /,
      );
    }
  },
);

test("words that the team writes beside an error are a line, whether it fails the request or not", async () => {
  inRequest();
  const error = new Error("card declined");
  console.error("Order 42 was not paid:", error);
  await reportFailure(error, failure, "POST");
  console.error("⨯", error);
  await told();
  expect(lines).toHaveLength(2);
  expect(lines[0]).toMatch(
    /^error: console {2}message=Order 42 was not paid: Error: card declined/,
  );
  expect(lines[1]).toMatch(/^error: request failed/);
  current = undefined;
  for (const n of [1, 2]) console.warn(`Try ${n} failed:`, error);
  expect(lines).toHaveLength(4);
});

test("an error that fails no request is one line of its request, and one of the process outside of any", async () => {
  const error = new Error("caught");
  for (let n = 0; n < 2; n += 1) {
    inRequest();
    console.error("Odd:", error);
    console.error(error);
    await told();
  }
  expect(lines).toHaveLength(2);
  current = undefined;
  console.warn(error);
  console.error(error);
  expect(lines).toHaveLength(3);
  expect(lines[2]).toMatch(/^warn: console {2}message=Error: caught/);
});

test("words alone are a line each time, and what can't be read is a line, too", () => {
  inRequest();
  console.warn("slow");
  console.warn("slow");
  expect(lines).toHaveLength(2);
  const unreadable = Object.defineProperty(new Error(), "stack", {
    get() {
      throw new Error("no");
    },
  });
  current = undefined;
  console.error(unreadable);
  expect(lines).toHaveLength(3);
});

test("a line is no longer than anybody reads, however long the words are that a stranger chose", () => {
  console.error("refused:", "x".repeat(1_000_000));
  expect(lines).toHaveLength(1);
  expect(lines[0]?.length).toBeLessThan(10_000);
  expect(lines[0]).toContain("refused: xxx");
});

test("what a client that has gone makes Next write needs nobody", async () => {
  const aborted = new Error("aborted");
  current = { failures: new Map(), logged: new Map(), isGivenUp: (error) => error === aborted };
  const said = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  onTestFinished(() => said.mockRestore());
  console.error(aborted);
  await told();
  expect(lines).toEqual([]);
  expect(String(said.mock.calls[0]?.[0])).toMatch(/^info: console {2}message=Error: aborted/);
});
