import type { Client } from "@sentry/core";
import { guarded } from "./page-load.ts";

type Methods = Record<PropertyKey, ((...args: unknown[]) => unknown) | undefined>;

const calls: [name: PropertyKey, args: unknown[]][] = [];

/** What the client can do before the SDK is there. A page with functions/ adds more. */
export const early: Methods = {};

let real: Methods | undefined;

/**
 * Stands for the SDK's client, which it is once that is there, also on scopes that were cloned before. Until then,
 * what is called on it waits.
 */
export const client = new Proxy(early, {
  get(_, name) {
    const value = (real ?? early)[name];
    if (value?.bind) return value.bind(real);
    // What has a `then` would be a promise.
    return real || name === "then" ? value : (...args: unknown[]) => void calls.push([name, args]);
  },
}) as unknown as Client;

export function becomeClient(arrived: Client): void {
  real = arrived as unknown as Methods;
  // An integration of the app's whose setup throws takes nothing else along.
  calls.forEach(guarded(([name, args]) => real?.[name]?.(...args)));
}
