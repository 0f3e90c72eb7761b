import { Sentry } from "./sentry";
import { snippets } from "./snippets/all";

/** What came of a snippet, as JSON. */
export interface Answer {
  name: string;
  gives?: unknown;
  throws?: unknown;
  /** When it began, in milliseconds since the epoch. */
  at: number;
}

/** Some of Sentry's timestamps are of one clock, and some of the other. */
const now = () => Math.min(Date.now(), performance.timeOrigin + performance.now());

/** In milliseconds: long enough for everything but what never settles. */
const longest = 30_000;
const unsettled = "a promise that does not settle";

export async function answerOf(name: string, patience = longest): Promise<Answer> {
  const snippet = snippets.find((one) => one.name === name);
  if (!snippet) throw new Error(`There is no snippet of the name ${name}`);
  // So that whatever it sends says whose it is.
  Sentry.getIsolationScope().setTag("snippet", name).setAttribute("snippet", name);
  const at = now();
  try {
    const late = new Promise((resolve) => setTimeout(resolve, patience, unsettled));
    return { name, at, gives: described(await Promise.race([snippet.run(), late])) };
  } catch (error) {
    return { name, at, throws: described(error) };
  }
}

const maxDepth = 5;

/** A value as JSON: what somebody who calls Sentry's functions sees of it. */
export function described(value: unknown, depth = 0): unknown {
  if (value === null || typeof value === "boolean" || typeof value === "string") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (typeof value === "function") return "a function";
  if (typeof value !== "object") return `${typeof value} ${String(value)}`;
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  if (value instanceof Promise) return "a promise";
  if (depth === maxDepth) return "…";
  if (Array.isArray(value)) return value.map((item) => described(item, depth + 1));
  if (!isPlain(value)) return `an object with ${methodsOf(value).join(", ")}`;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, described((value as Record<string, unknown>)[key], depth + 1)]),
  );
}

function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Names of classes are lost in a bundle, those of methods are not. */
function methodsOf(value: object): string[] {
  const names = new Set<string>();
  for (let one = value; Object.getPrototypeOf(one); one = Object.getPrototypeOf(one)) {
    for (const name of Object.getOwnPropertyNames(one)) names.add(name);
  }
  const isMethod = (name: string) =>
    !/^_|^constructor$/.test(name) && typeof Reflect.get(value, name) === "function";
  return [...names].filter(isMethod).sort();
}
