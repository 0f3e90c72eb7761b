import { describe, expect, it } from "vitest";
import { sessionsIn } from "../../comparison/visits.ts";

const item = (type: string, payload: unknown) => ({
  header: { type },
  payload,
  bytes: Buffer.alloc(0),
});

describe("sessions", () => {
  it("of browsers count once each, by their last state; those of a server's process don't", () => {
    const fromBrowser = { origin: "http://localhost" };
    expect(
      sessionsIn([
        { requestHeaders: fromBrowser, items: [item("session", { sid: "a", status: "ok" })] },
        {
          requestHeaders: fromBrowser,
          items: [item("session", { sid: "a", status: "unhandled" })],
        },
        { requestHeaders: fromBrowser, items: [item("session", { sid: "b", status: "ok" })] },
        { requestHeaders: {}, items: [item("session", { sid: "c", status: "crashed" })] },
      ]),
    ).toEqual({ all: 2, crashed: 1 });
  });

  it("that a server has counted are the sum of all aggregates", () => {
    const aggregates = [
      { exited: 40, errored: 1 },
      { exited: 4, crashed: 5 },
    ];
    expect(sessionsIn([{ requestHeaders: {}, items: [item("sessions", { aggregates })] }])).toEqual(
      { all: 50, crashed: 5 },
    );
  });
});
