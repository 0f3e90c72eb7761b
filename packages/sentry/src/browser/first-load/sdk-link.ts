import type { Integration } from "@sentry/core";
// biome-ignore lint/style/noRestrictedImports: types alone load nothing.
import type * as Running from "../sdk/error-events.ts";

/** How many may wait for one thing, which may never come: a page may be open for days. */
const maxWaiting = 1000;

/** What comes once, and later: who asks is called back then, or now, in the order in which they have asked. */
export class Arrival<T> {
  /** It, once it is there. */
  declare now: T | undefined;
  declare private readonly waiting: ((arrived: T) => void)[];

  constructor() {
    this.waiting = [];
  }

  on(listener: (arrived: T) => void): void {
    if (this.now) listener(this.now);
    else if (this.waiting.length < maxWaiting) this.waiting.push(listener);
  }

  come(arrived: T): void {
    this.now = arrived;
    for (const listener of this.waiting.splice(0)) {
      try {
        listener(arrived);
      } catch {
        // An integration of the app's whose setup throws takes nothing else along.
      }
    }
  }
}

export type RunningSdk = typeof Running;

/**
 * The link between functions/, which is in the first load of pages that import it, and the SDK, which
 * may come later: it is there when it has started, before it takes the errors that waited. A page without
 * functions/ loads this file with the SDK.
 */
export const sdk = new Arrival<RunningSdk>();

/** What stands for an integration until that is there, which has nothing of the name `late`. */
export interface LateIntegration extends Integration {
  late?: Arrival<Integration>;
}

/**
 * An object that stands for the SDK's own, and is that once it is there.
 *
 * @param own what it can do before
 */
export function standIn<T extends object>(own: object, real: Arrival<T>): T {
  const present = () => real.now ?? own;
  return new Proxy(own, {
    get(_, name) {
      const value: unknown = Reflect.get(present(), name);
      return typeof value === "function" ? value.bind(present()) : value;
    },
    // Spans have fields of the SDK's that tell of their tree.
    defineProperty: (_, ...field) => Reflect.defineProperty(present(), ...field),
    getPrototypeOf: () => Reflect.getPrototypeOf(present()),
  }) as T;
}
