// biome-ignore lint/style/noRestrictedImports: types alone load nothing.
import type * as All from "../sdk/names.ts";
import { Arrival, type RunningSdk, sdk } from "./sdk-link.ts";

type AllNames = typeof All;
export type Name = keyof AllNames;

/** Of the SDK's functions and classes, those that a page has: their code comes with the SDK, in chunks of their own. */
const wanted = new Map<Name, Arrival<unknown>>();

/** What the SDK has by this name. If its code can't be loaded, it never comes. */
export function named<N extends Name>(name: N): Arrival<AllNames[N]> {
  const known = wanted.get(name) ?? new Arrival();
  wanted.set(name, known);
  // A page may come after the SDK.
  if (sdk.now) void loadNames(sdk.now);
  return known as Arrival<AllNames[N]>;
}

/** @returns once all that the page has named is there, but for what can't be had */
export async function loadNames({ importName }: RunningSdk): Promise<void> {
  const load = async ([name, arrival]: [Name, Arrival<unknown>]) => {
    if (!arrival.now) arrival.come(await importName(name));
  };
  await Promise.allSettled([...wanted].map(load));
}
