import proxyAddr from "proxy-addr";
import type { EmbeddedDestination } from "./delivery/embedded-destination.ts";
import type { OutgoingProxy, ProxyFault } from "./delivery/service-connection.ts";
import { parseDsn } from "./dsn.ts";
import { isRecord } from "./envelope/json-limits.ts";
import { type Log, logToStderr } from "./log.ts";
import type { FrameResolver } from "./source-maps/frames.ts";
import type { SourceMapOptions } from "./source-maps/map-thread.ts";
import type { Receive } from "./tunnel/tunnel.ts";

/** Where reports wait. */
export type StoreOptions =
  /** For a SQLite file. It is made where it is missing, and any number of processes may share it. */
  | { folder: string }
  /** A database of version 14 or newer, and the schema of the tables there: "signpost" by default. */
  | { postgres: { url: string; schema?: string | undefined } };

export interface RelayOptions {
  /** Of the project at the service. Without one, reports go to `destination`, or wait. */
  dsn?: string | undefined;
  store: StoreOptions;
  /** Where reports go that no service gets. */
  destination?: EmbeddedDestination | undefined;
  /** By default, a line of JSON on stderr for each event. */
  log?: Log;
  /** Of the tunnel, as clients ask for it. */
  path?: string;
  /** What stands before the destination's path: empty, or beginning with a slash. */
  basePath?: string;
  /** The release that this process runs: errors of it are delivered by it, since it has their source maps. */
  release?: string | undefined;
  /** Where the source maps of the build are, or what finds frames in the source otherwise. */
  sourceMaps?: SourceMapOptions | FrameResolver | undefined;
  /** Whether the service gets errors with their frames in the source, where there is `sourceMaps`. */
  resolveStacks?: boolean;
  /** What the app makes of a browser's envelope before it is stored. */
  receive?: Receive | undefined;
  /** Of the largest envelope, after decompression. */
  maxBytes?: number;
  /** Envelopes a minute from one address. */
  rate?: number;
  /** What all reports may take that wait, in bytes. */
  maxStoredBytes?: number;
  /** How long a report waits for a service that can't be reached. */
  retentionHours?: number;
  /** Addresses and ranges whose `X-Forwarded-For` is believed, in the syntax of proxy-addr. */
  trustedProxies?: readonly string[];
  /** Whether the client's address goes to the service. */
  reportClientIp?: boolean;
  /** Whether feedback is delivered as an event of level info, for services that know no feedback. */
  feedbackAsEvent?: boolean;
  /** By which the service is reached; or why it can't be. */
  proxy?: OutgoingProxy | ProxyFault | undefined;
}

export type CheckedOptions = ReturnType<typeof checkOptions>;

/** @returns the options with their defaults @throws {TypeError} that names the one that can't be used */
export function checkOptions({
  dsn: dsnText,
  store: givenStore,
  destination,
  log = logToStderr,
  path = "/api/relay",
  basePath = "",
  release,
  sourceMaps,
  resolveStacks = true,
  receive,
  maxBytes = 2 * 1024 * 1024,
  rate = 300,
  maxStoredBytes = 256 * 1024 * 1024,
  retentionHours = 24,
  trustedProxies = [],
  reportClientIp = false,
  feedbackAsEvent = false,
  proxy,
}: RelayOptions) {
  const dsn = isText(dsnText) ? parseDsn(dsnText) : undefined;
  // Not the text itself, which may hold a secret.
  if (dsnText !== undefined) expect("dsn", dsn, 'be like "https://key@host/1"', typeof dsnText);
  const store = checkStore(givenStore);
  if (destination !== undefined) {
    const { name, tables, open } = destination ?? {};
    const isOne = isText(name) && isRecord(tables) && isFunction(open);
    expect("destination", isOne, "have `name`, `tables` and `open`", shown(destination));
  }
  const slashes = "begin with a slash and to end with none";
  expect("path", isPath(path), slashes, shown(path));
  expect("basePath", basePath === "" || isPath(basePath), slashes, shown(basePath));
  for (const [name, value] of Object.entries({ maxBytes, rate, maxStoredBytes, retentionHours })) {
    expect(name, typeof value === "number" && value > 0, "be a number above 0", shown(value));
  }
  for (const [name, value] of Object.entries({ resolveStacks, reportClientIp, feedbackAsEvent })) {
    expect(name, typeof value === "boolean", "be true or false", shown(value));
  }
  expect("log", isFunction(log), "be a function", shown(log));
  if (receive !== undefined)
    expect("receive", isFunction(receive), "be a function", shown(receive));
  if (release !== undefined) expect("release", isText(release), "be a text", shown(release));
  if (sourceMaps !== undefined && !isFunction(sourceMaps)) {
    const isOne = isText(sourceMaps?.folder) && isText(sourceMaps.build);
    expect("sourceMaps", isOne, "be { folder, build } or a function", shown(sourceMaps));
  }
  const ranges = 'be addresses and ranges, such as ["loopback", "10.0.0.0/8"]';
  expect("trustedProxies", areRanges(trustedProxies), ranges, shown(trustedProxies));
  if (proxy !== undefined) {
    const isOne = isRecord(proxy) && ("reason" in proxy || URL.canParse(proxy.url));
    expect("proxy", isOne, 'be like { url: "http://proxy.example.com:3128" }', shown(proxy));
  }
  return {
    ...{ dsn, store, destination, log, path, basePath, release, sourceMaps },
    ...{ resolveStacks, receive, maxBytes, rate, maxStoredBytes, retentionHours, trustedProxies },
    ...{ reportClientIp, feedbackAsEvent, proxy },
  };
}

/** As all begin that `pg` takes: a URL, or the folder of a Unix socket. */
const databaseUrl = /^(postgres(ql)?:\/\/|socket:|\/)/;
const schemaName = /^(?!pg_)[a-z_][a-z0-9_]{0,62}$/;

type CheckedStore = { folder: string } | { postgres: { url: string; schema: string } };

function checkStore(store: StoreOptions): CheckedStore {
  const { folder, postgres }: Record<string, unknown> = isRecord(store) ? store : {};
  if (isText(folder) && postgres === undefined) return { folder };
  if (!isRecord(postgres) || !isText(postgres.url)) {
    throw unexpected("store", "be { folder } or { postgres: { url } }", shown(store));
  }
  const { url, schema = "signpost" } = postgres;
  // Not the text itself, which may hold a password.
  expect("store.postgres.url", databaseUrl.test(url), 'begin with "postgres://"', typeof url);
  if (isText(schema) && schemaName.test(schema)) return { postgres: { url, schema } };
  const rule = "be lower-case letters, digits and underscores";
  throw unexpected("store.postgres.schema", rule, shown(schema));
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function isFunction(value: unknown): value is (...args: never) => unknown {
  return typeof value === "function";
}

function isPath(value: unknown): boolean {
  return isText(value) && /^(\/[^/?#]+)+$/.test(value);
}

function areRanges(value: unknown): boolean {
  try {
    return Array.isArray(value) && Boolean(proxyAddr.compile([...value]));
  } catch {
    return false;
  }
}

function expect(option: string, holds: unknown, wanted: string, got: string): void {
  if (!holds) throw unexpected(option, wanted, got);
}

/** @param got what is to be seen of the value */
function unexpected(option: string, wanted: string, got: string): TypeError {
  return new TypeError(`Expected \`${option}\` to ${wanted}, got ${got}`);
}

/** Of an object, what it has: values may be secrets. */
function shown(value: unknown): string {
  if (typeof value === "number") return String(value);
  return JSON.stringify(isRecord(value) ? Object.keys(value) : value) ?? typeof value;
}
