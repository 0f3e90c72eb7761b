import { filtered, scrubText } from "./scrub-text";

/**
 * Removes private data from everything that a browser or this server reports: cookies, request
 * headers, bodies, client addresses, and the values of query strings and of hashes that look like
 * one. Their keys stay, because they help to find the bug. No other file does this.
 *
 * Pure, and it never throws: it runs while something is already broken.
 */

const maxDepth = 12;

/** Properties and span attributes that are removed, whatever they hold. */
const privateKeys =
  /^(cookies?|set-cookie2?|headers|authorization|body|env|email|ip_?address|client_?ip|remote_?addr(ess)?|x-forwarded-for|user_agent(\.original)?|http\.(user_agent|client_ip|(request|response)\.(headers?|body|cookies?)(\..*)?)|(client|source|net\.peer|net\.sock\.peer|network\.peer)\.(address|ip|port|addr|name)|user\.(ip_address|email|name))$/i;

/** Properties and span attributes whose whole value is a query string or a hash. */
const queryKeys = /^(query_string|(url|http)\.(query|fragment))$/i;

/** @param query with or without its leading `?` or `#` */
export function scrubQuery(query: string): string {
  return query.replace(/=[^&]*/g, `=${filtered}`);
}

/**
 * Cleans an error or transaction event: for `beforeSend` and `beforeSendTransaction`.
 * The SDK's own working data (`sdkProcessingMetadata`) stays: the SDK removes it before it sends.
 *
 * @returns a clean copy
 */
export function scrubEvent<Event extends object>(event: Event): Event {
  const { request, user, sdkProcessingMetadata, ...rest } = event as Record<string, unknown>;
  const copy = clean(rest, "", 0, []) as Record<string, unknown>;
  if (isRecord(request)) copy.request = only(request, ["method", "url", "query_string"]);
  if (isRecord(user) && user.id !== undefined) copy.user = only(user, ["id"]);
  if (sdkProcessingMetadata !== undefined) copy.sdkProcessingMetadata = sdkProcessingMetadata;
  return copy as Event;
}

/**
 * Cleans a span, a breadcrumb or any other plain data: for `beforeSendSpan`, `beforeBreadcrumb`.
 *
 * @returns a clean copy
 */
export function scrub<Data extends object>(data: Data): Data {
  return clean(data, "", 0, []) as Data;
}

function only(record: Record<string, unknown>, keys: readonly string[]): Record<string, unknown> {
  const kept = Object.entries(record).filter(([key]) => keys.includes(key));
  return clean(Object.fromEntries(kept), "", 0, []) as Record<string, unknown>;
}

/**
 * @param key the name of the property that holds the value
 * @param above the objects that contain the value, to detect a cycle
 */
function clean(value: unknown, key: string, depth: number, above: readonly unknown[]): unknown {
  if (typeof value === "string") return queryKeys.test(key) ? scrubQuery(value) : scrubText(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth > maxDepth || above.includes(value)) return "[Left out]";
  if (queryKeys.test(key)) return cleanParameters(value);
  const path = [...above, value];
  if (Array.isArray(value)) return value.map((item) => clean(item, key, depth + 1, path));
  return mapped(value, (name, own) => clean(own, name, depth + 1, path));
}

/** A query string may also come as pairs, as a record, or as a span attribute: `{ value, type }`. */
function cleanParameters(query: object): unknown {
  if (Array.isArray(query)) {
    return query.map((pair) =>
      Array.isArray(pair) ? [scrubText(String(pair[0])), filtered] : filtered,
    );
  }
  if (Object.keys(query).sort().join() !== "type,value") return mapped(query, () => filtered);
  return mapped(query, (name, own) => (name === "type" ? own : scrubQuery(String(own))));
}

function mapped(record: object, change: (name: string, own: unknown) => unknown): object {
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(record)) {
    if (privateKeys.test(name)) continue;
    try {
      copy[name] = change(name, (record as Record<string, unknown>)[name]);
    } catch {
      copy[name] = "[Unreadable]";
    }
  }
  return copy;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
