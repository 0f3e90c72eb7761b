import type { Service } from "../support/service.ts";
import { check, checkThat } from "./checks.ts";
import { reportsOf, titleOf } from "./envelopes.ts";
import { faultyReport, fieldFaults } from "./normaliser.ts";

/** What Sentry's own Relay would find fault with. */
export function checkAtNormaliser(service: Service): void {
  const types = ["event", "transaction", "feedback"] as const;
  const reports = types.flatMap((type) => reportsOf(service, type));
  const [control, ...found] = fieldFaults([faultyReport, ...reports]);
  checkThat("Relay's normaliser finds the faults of a faulty report", (control?.length ?? 0) > 2);
  const faults = found.flatMap((list, i) => {
    const report = reports[i];
    return list.map(({ path, error, value }) => {
      const what = `${path} is ${error}: ${JSON.stringify(value)}`;
      return `${what} in ${report && (report.transaction ?? titleOf(report))}`;
    });
  });
  check("Relay's normaliser finds no fault", faults);
  console.log(`       ${reports.length} reports`);
}
