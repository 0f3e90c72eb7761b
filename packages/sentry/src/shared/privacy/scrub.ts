import type { IsPrivate } from "./private-names.ts";

/**
 * The scrubbing of one value of a report: what has a private name becomes `[Filtered]`, and so do
 * the values of query strings and of hashes that look like one. Their keys stay, because they help
 * to find the bug.
 *
 * Pure, and it never throws: it runs while something is already broken.
 */

const maxDepth = 12;
/** Of one item, with those in its texts. A transaction has a thousand spans, a profile some ten thousand samples. */
const defaultMaxValues = 500_000;
/** In UTF-16 units. Sentry keeps less. */
const maxTextLength = 256 * 1024;
/** SDKs write objects in attributes of logs and metrics as JSON. */
const maxJsonLength = 64 * 1024;

const leftOut = "[Left out]";

/** Properties and span attributes whose whole value is a query string or a hash. */
const queryKeys = /^(query_string|(url|http)\.(query|fragment))$/i;

const filtered = "[Filtered]";

/**
 * `?a=1&b=2` or `#a=1` anywhere in a text. The value ends where the URL ends. `#id[type="button"]` is a
 * selector, as the SDK writes it for a click.
 */
const parameters = /([?&][^\s?&#=]+=|#[^\s?&#=]+=(?!"))[^\s&#]*[^\s&#<>"`]/g;
/** They end with the last `@` before the path: of a password that is not encoded, one may be a part. */
const credentials = /(\b[a-z][a-z\d+.-]{1,20}:\/\/)[^\s/?#<>"`]+@/gi;

/**
 * Removes parameter values and credentials from every URL in a text.
 *
 * @param text a URL, or a sentence with URLs in it
 * @returns the text with `[Filtered]` as the value of each parameter
 */
export function scrubText(text: string): string {
  const parameterless = text.includes("=") ? text.replace(parameters, `$1${filtered}`) : text;
  return parameterless.includes("@") ? parameterless.replace(credentials, "$1") : parameterless;
}

/** @param query with or without its leading `?` or `#` */
export function scrubQuery(query: string): string {
  return query.replace(/=[^&]*/g, `=${filtered}`);
}

/** Cleans one item of a report. */
export class Scrubber {
  declare private readonly isPrivate: IsPrivate;
  declare private valuesLeft: number;

  /** @param maxValues of the item: what is over these is left out */
  constructor(isPrivate: IsPrivate, maxValues = defaultMaxValues) {
    this.isPrivate = isPrivate;
    this.valuesLeft = maxValues;
  }

  /**
   * @param key the name of the property that holds the value
   * @returns a clean copy
   */
  clean(value: unknown, key = ""): unknown {
    return this.cleanBelow(value, key, 0, []);
  }

  /** @param above the objects that contain the value, to detect a cycle */
  private cleanBelow(
    value: unknown,
    key: string,
    depth: number,
    above: readonly unknown[],
  ): unknown {
    this.valuesLeft -= 1;
    if (this.valuesLeft < 0) return leftOut;
    if (typeof value === "string") return this.text(value, key, depth);
    if (typeof value !== "object" || value === null) return value;
    if (depth > maxDepth || above.includes(value)) return leftOut;
    if (queryKeys.test(key)) return cleanParameters(value);
    const path = [...above, value];
    if (Array.isArray(value)) {
      return value.map((item) =>
        this.isPrivatePair(item, key)
          ? [item[0], filtered]
          : this.cleanBelow(item, key, depth + 1, path),
      );
    }
    return mapped(value, (name, own) => {
      if (own === undefined || own === null) return own;
      if (this.valuesLeft <= 0) return leftOut;
      if (!this.isPrivate(name, key)) return this.cleanBelow(own, name, depth + 1, path);
      // The protocol wants a valid address.
      if (name === "ip_address" && key === "user") return undefined;
      return isAttribute(own) ? { value: filtered, type: "string" } : filtered;
    });
  }

  private text(text: string, key: string, depth: number): string {
    if (queryKeys.test(key)) return scrubQuery(text.slice(0, maxTextLength));
    const isJson =
      text.length <= maxJsonLength &&
      ((text.startsWith("{") && text.endsWith("}")) ||
        (text.startsWith("[") && text.endsWith("]")));
    if (isJson) {
      try {
        const parsed: unknown = JSON.parse(text);
        const cleaned = JSON.stringify(this.cleanBelow(parsed, key, depth + 1, []));
        return cleaned === JSON.stringify(parsed) ? text : cleaned;
      } catch {
        // A text that only looks like JSON.
      }
    }
    return scrubSelectors(text.length > maxTextLength ? `${text.slice(0, maxTextLength)}…` : text);
  }

  /** The protocol has tags and headers as pairs too. */
  private isPrivatePair(item: unknown, key: string): item is [string, unknown] {
    return (
      Array.isArray(item) &&
      item.length === 2 &&
      typeof item[0] === "string" &&
      this.isPrivate(item[0], key)
    );
  }
}

/** A query string may also come as pairs, as a record, or as an attribute. */
function cleanParameters(query: object): unknown {
  if (Array.isArray(query)) {
    return query.map((pair) =>
      Array.isArray(pair) ? [scrubText(String(pair[0])), filtered] : filtered,
    );
  }
  if (!isAttribute(query)) return mapped(query, () => filtered);
  return { ...query, value: scrubQuery(String(query.value)) };
}

function mapped(record: object, change: (name: string, own: unknown) => unknown): object {
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(record)) {
    try {
      const changed = change(name, (record as Record<string, unknown>)[name]);
      if (changed !== undefined) copy[name] = changed;
    } catch {
      copy[name] = "[Unreadable]";
    }
  }
  return copy;
}

/** An attribute of a log, metric or streamed span. */
function isAttribute(value: unknown): value is { value: unknown; type: unknown } {
  return isRecord(value) && "value" in value && "type" in value;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const attributes = /(\[[\w-]+=")[^"@=]*[@=][^"]*/g;

/** As `scrubText`. Of a selector, a value that may be private goes whole, so that the rest stays one. */
function scrubSelectors(text: string): string {
  return scrubText(text.includes("[") ? text.replace(attributes, `$1${filtered}`) : text);
}
