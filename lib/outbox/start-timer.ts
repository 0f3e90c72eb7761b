/** Starts the next group of writes: at a time, or as soon as possible. */
export class StartTimer {
  #planned: { at: number; cancel(): void } | undefined;

  constructor(private readonly start: () => void) {}

  /** @param at by `performance.now()`; a start that is planned for an earlier time stays */
  plan(at: number): void {
    if (this.#planned && this.#planned.at <= at) return;
    this.cancel();
    const start = () => {
      this.#planned = undefined;
      this.start();
    };
    const wait = at - performance.now();
    if (wait < 1) {
      const immediate = setImmediate(start);
      this.#planned = { at, cancel: () => clearImmediate(immediate) };
    } else {
      const timer = setTimeout(start, wait);
      this.#planned = { at, cancel: () => clearTimeout(timer) };
    }
  }

  cancel(): void {
    this.#planned?.cancel();
    this.#planned = undefined;
  }
}
