import type { Driver } from "./driver.ts";

/** Parts of the maximum age that differences are told in. */
const parts = 96;

/**
 * How long reports have waited before the eyes of this process, by a clock that only goes forward. So
 * nothing gets old while no process runs, or where the time of day jumps.
 */
export class WaitingTimes {
  /** Which report was the newest at which time, in order. */
  readonly #marks: { at: number; id: number }[] = [];

  /** @param now milliseconds of any clock that only goes forward */
  constructor(
    private readonly driver: Pick<Driver, "read">,
    private readonly maxAgeMs: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** @param ms at most the maximum age @returns whether this process has seen it wait for so long */
  hasWaited(id: number, ms: number): boolean {
    const since = this.now() - Math.min(ms, this.maxAgeMs);
    const newest = this.#marks.findLast(({ at }) => at <= since);
    return newest !== undefined && id <= newest.id;
  }

  /** To be called now and then. @returns the newest report that has waited for the maximum age, if any has */
  async newestOld(): Promise<number | undefined> {
    const [newest] = await this.driver.read<{ id: number | null }>({
      text: "select max(id) as id from {outbox}",
    });
    const at = this.now();
    const last = this.#marks.at(-1)?.at ?? Number.NEGATIVE_INFINITY;
    if (newest?.id && at - last >= this.maxAgeMs / parts) this.#marks.push({ at, id: newest.id });
    const index = this.#marks.findLastIndex((mark) => at - mark.at >= this.maxAgeMs);
    if (index > 0) this.#marks.splice(0, index);
    return index < 0 ? undefined : this.#marks[0]?.id;
  }
}
