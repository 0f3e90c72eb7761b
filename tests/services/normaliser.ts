import { join } from "node:path";
import { fromPypi } from "./installed.ts";
import { runProgram } from "./processes.ts";

const normaliserVersion = "0.10.1";

export interface FieldFault {
  path: string;
  error: string;
  value: unknown;
}

/**
 * What Relay, the front of Sentry's own service, finds fault with in events and transactions.
 *
 * @returns for each report its faults
 * @throws {import("./installed.ts").Unavailable}
 */
export function fieldFaults(reports: unknown[]): FieldFault[][] {
  const python = join(fromPypi(`sentry-relay==${normaliserVersion}`), "python");
  const script = join(import.meta.dirname, "normalise.py");
  const input = reports.map((report) => `${JSON.stringify(report)}\n`).join("");
  return runProgram(python, [script], { input })
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as FieldFault[]);
}

/** A report with faults, which shows that the normaliser looks. */
export const faultyReport = {
  event_id: "no id",
  level: "very bad",
  timestamp: "yesterday",
  exception: { values: [{ type: "Error", value: "x", stacktrace: { frames: [] } }] },
};
