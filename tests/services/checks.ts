/**
 * What is not as it should be yet, a sentence for each check by its name. A check that passes must
 * be taken out.
 */
export const knownFaults: Record<string, string> = {};

interface Outcome {
  name: string;
  /** What is wrong; empty if nothing is. */
  faults: string[];
}

const outcomes: Outcome[] = [];
const maxShown = 5;

/** Notes and prints whether something is as it should be. @param faults what is not */
export function check(name: string, faults: string[]): void {
  outcomes.push({ name, faults });
  const known = knownFaults[name];
  const word = faults.length === 0 ? "ok   " : known ? "known" : "FAIL ";
  console.log(`${word}  ${name}`);
  if (known && faults.length > 0) console.log(`         ${known}`);
  for (const fault of faults.slice(0, maxShown)) console.log(`       - ${fault}`);
  if (faults.length > maxShown) console.log(`       - and ${faults.length - maxShown} more`);
}

/** As `check`, for what is true or not. */
export function checkThat(name: string, isTrue: boolean, fault = "it is not so"): void {
  check(name, isTrue ? [] : [fault]);
}

/** Prints the totals. @returns the exit code */
export function summary(): number {
  const failed = outcomes.filter(({ name, faults }) => faults.length > 0 && !knownFaults[name]);
  const known = outcomes.filter(({ name, faults }) => faults.length > 0 && knownFaults[name]);
  const mended = outcomes.filter(({ name, faults }) => faults.length === 0 && knownFaults[name]);
  for (const { name } of mended) console.log(`Passes, so take it out of knownFaults: ${name}`);
  const passed = outcomes.length - failed.length - known.length;
  console.log(`\n${passed} passed, ${failed.length} failed, ${known.length} known to fail`);
  return failed.length + mended.length > 0 ? 1 : 0;
}
