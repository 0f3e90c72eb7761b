/** What is not as it should be yet: checks by their names, and why they fail. */
const knownFaults: [checks: RegExp, why: string][] = [];

interface Outcome {
  name: string;
  /** Whether nothing is wrong. */
  passed: boolean;
  known?: string;
}

const outcomes: Outcome[] = [];
const maxShown = 5;

/** Notes and prints whether something is as it should be. @param faults what is not */
export function check(name: string, faults: string[]): void {
  const known = knownFaults.find(([checks]) => checks.test(name))?.[1];
  outcomes.push({ name, passed: faults.length === 0, known });
  console.log(`${faults.length === 0 ? "ok   " : known ? "known" : "FAIL "}  ${name}`);
  if (faults.length > 0 && known) console.log(`       ${known}`);
  for (const fault of faults.slice(0, maxShown)) console.log(`       - ${fault}`);
  if (faults.length > maxShown) console.log(`       - and ${faults.length - maxShown} more`);
}

/** As `check`, for what is true or not. */
export function checkThat(name: string, isTrue: boolean, fault = "it is not so"): void {
  check(name, isTrue ? [] : [fault]);
}

/** Prints the totals, and what has been mended. @returns the exit code */
export function summary(): number {
  const bad = outcomes.filter(({ passed }) => !passed);
  const failed = bad.filter(({ known }) => !known).length;
  const mended = knownFaults
    .map(([, why]) => why)
    .filter((why) => {
      const those = outcomes.filter(({ known }) => known === why);
      return those.length > 0 && those.every(({ passed }) => passed);
    });
  for (const why of mended) console.log(`Mended, so take it out of knownFaults: ${why}`);
  const known = bad.length - failed;
  console.log(`\n${outcomes.length - bad.length} passed, ${failed} failed, ${known} known to fail`);
  return failed + mended.length > 0 ? 1 : 0;
}
