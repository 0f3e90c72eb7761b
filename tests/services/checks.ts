const outcomes: boolean[] = [];
const maxShown = 5;

/** Notes and prints whether something is as it should be. @param faults what is not */
export function check(name: string, faults: string[]): void {
  outcomes.push(faults.length === 0);
  console.log(`${faults.length === 0 ? "ok  " : "FAIL"}  ${name}`);
  for (const fault of faults.slice(0, maxShown)) console.log(`      - ${fault}`);
  if (faults.length > maxShown) console.log(`      - and ${faults.length - maxShown} more`);
}

/** As `check`, for what is true or not. */
export function checkThat(name: string, isTrue: boolean, fault = "it is not so"): void {
  check(name, isTrue ? [] : [fault]);
}

/** Prints the totals. @returns the exit code */
export function summary(): number {
  const passed = outcomes.filter(Boolean).length;
  console.log(`\n${passed} passed, ${outcomes.length - passed} failed`);
  return passed < outcomes.length ? 1 : 0;
}
