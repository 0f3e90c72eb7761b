import type { Integration } from "@sentry/core";
import { type Name, named } from "../first-load/named.ts";
import { Arrival, sdk, standIn } from "../first-load/sdk-link.ts";

// biome-ignore lint/suspicious/noExplicitAny: the SDK's types reach an app by index.server.ts
export type Call = (...args: any[]) => any;

/**
 * A function of the SDK's: its own, once the SDK is there.
 *
 * @param before what it does until then, with its arguments after the SDK's own that is to come. By default the call
 *   waits for that, and gives nothing.
 */
export function late(
  name: Name,
  before: (own: Arrival<Call>, ...args: never[]) => unknown = waits,
): Call {
  const own: Arrival<Call> = named(name) as never;
  return (...args) => (own.now ? own.now(...args) : before(own, ...(args as never[])));
}

/** The SDK's function comes before its client and the span of the page load, which most calls are about. */
export function waits(own: Arrival<Call>, ...args: unknown[]): void {
  own.on((arrived) => sdk.on(() => arrived(...args)));
}

/** @returns a promise of what the call gives once the SDK is there */
export function promised(own: Arrival<Call>, ...args: unknown[]): Promise<unknown> {
  return later(own, (arrived) => arrived(...args));
}

function later<T>(real: Arrival<T>, use: (arrived: T) => unknown): Promise<unknown> {
  const result = new Promise((resolve) => {
    real.on((arrived) => resolve(new Promise((used) => used(use(arrived)))));
  });
  // It is the app's to handle, if it waits for it.
  result.catch(() => {});
  return result;
}

/** @returns an object that can be used at once, and is the one that the call gives once the SDK is there */
export function object(make: Arrival<Call>, ...args: unknown[]): object {
  return objectWith({}, make, args);
}

/** @param own what such an object can do at once */
function objectWith(own: object, make: Arrival<Call>, args: unknown[]): object {
  const made = new Arrival<object>();
  make.on((arrived) => made.come(arrived(...args)));
  return waiting(made, own);
}

/**
 * A promise that can be used as what it is of, too: called, as what undoes something (an effect of React's may
 * give it back), or asked for a method, as a widget.
 */
function usable(promise: Promise<unknown>): unknown {
  const then = (use: (gives: Record<string, Call> & Call) => unknown) => {
    const next = promise.then(use as never);
    next.catch(() => {});
    return usable(next);
  };
  return new Proxy(() => {}, {
    apply: (_, _this, args) => then((gives) => gives?.(...args)),
    get(_, name) {
      const own: unknown = Reflect.get(promise, name);
      if (typeof name === "symbol" || own) return own instanceof Function ? own.bind(promise) : own;
      return (...args: unknown[]) => then((gives) => gives[name]?.(...args));
    },
    getPrototypeOf: () => Promise.prototype,
  });
}

/** An object whose methods wait for the SDK's own: they give what can be used as a promise, and nothing where they are asked for something. */
function waiting<T extends object>(real: Arrival<T>, own: object = {}): T {
  const before = new Proxy(own, {
    get(_, name) {
      if (name in own || typeof name === "symbol" || name === "then") return Reflect.get(own, name);
      if (/^(get|is)[A-Z]/.test(name)) return () => undefined;
      return (...args: unknown[]) =>
        usable(later(real, (arrived) => (Reflect.get(arrived, name) as Call).apply(arrived, args)));
    },
  });
  return standIn(before, real);
}

// biome-ignore lint/suspicious/noExplicitAny: as of a call
type Class = new (...args: any[]) => any;

/**
 * A class of the SDK's. An instance from before is one of it once the SDK is there.
 *
 * @param methods what does not wait for that
 */
export function lateClass(name: Name, methods: object = {}): Class {
  const own: Arrival<Class> = named(name) as never;
  const make = new Arrival<Call>();
  function Before() {}
  own.on((Own) => {
    // A class of the app's may extend it.
    Object.setPrototypeOf(Before.prototype, Own.prototype);
    make.come((target, ...args) => Reflect.construct(Own, args, target));
  });
  return new Proxy(Before as never as Class, {
    construct(_, args, target) {
      if (own.now) return Reflect.construct(own.now, args, target);
      return objectWith(Object.assign(Object.create(target.prototype), methods), make, [
        target,
        ...args,
      ]);
    },
    get: (before, key) => Reflect.get(own.now ?? before, key),
  });
}

type Stem = Name extends infer N ? (N extends `${infer S}Integration` ? S : never) : never;

/**
 * An integration, by the first part of its function's name.
 *
 * @param name its own, where that is another
 * @param methods what does not wait for it
 */
export function integration(
  stem: Stem,
  name: string = stem.charAt(0).toUpperCase() + stem.slice(1),
  methods: object = {},
): Call {
  return late(`${stem}Integration`, (make, ...args) =>
    coming({ ...methods, name }, make, (arrived) => arrived(...args)),
  );
}

/** The integrations of these names, of the list that the SDK's function gives. */
export const integrations =
  (...names: string[]) =>
  (make: Arrival<Call>, ...args: unknown[]): Integration[] =>
    names.map((name) =>
      coming({ name }, make, (arrived) =>
        arrived(...args).find((one: Integration) => one.name === name),
      ),
    );

function coming(
  own: { name: string },
  make: Arrival<Call>,
  from: (arrived: Call) => Integration,
): Integration {
  const real = new Arrival<Integration>();
  make.on((arrived) => real.come(from(arrived)));
  return waiting<Integration>(real, { ...own, late: real });
}
