import { resolve } from "node:path";
import { type DestinationContext, parseDsn, type RelayOptions } from "@signpost/relay";
import { parse as parsePostgresUrl } from "pg-connection-string";
import proxyAddr from "proxy-addr";
import { z } from "zod";
import { singleton } from "../singleton.ts";
import { buildId, sourceMapsWereUploaded, uploadVariables } from "./build.ts";
import { ConfigError, checkEnvironment } from "./check-environment.ts";
import { outgoingProxy, proxyVariables } from "./outgoing-proxy.ts";
import { servedApp } from "./served-app.ts";

const rate = z
  .string()
  .regex(/^\d*\.?\d+$/, "must be a number from 0 to 1")
  .transform(Number)
  .refine((n) => n <= 1, "must be a number from 0 to 1");

const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((n) => n >= min && n <= max, `must be a whole number from ${min} to ${max}`);

/**
 * Whether Sentry takes it for a release: it drops the reports of any other.
 * Source: https://github.com/getsentry/relay, relay-event-schema and sentry-release-parser
 */
export function isReleaseName(text: string): boolean {
  const isPlain = /^[^\\/\p{Cc}]+$/u.test(text) && text.trim() === text;
  return isPlain && !isReserved(text, "latest") && Buffer.byteLength(text) <= 200;
}

const isReserved = (text: string, word: string) => [".", "..", word].includes(text.toLowerCase());

const releaseRule =
  "must be 1 to 200 bytes without slashes, backslashes and line breaks, and not . or .. or latest";

const onOrOff = z.enum(["on", "off"], 'must be "on" or "off"').transform((text) => text === "on");

/** Of `pg`, which takes any other word for one of them. */
const sslModes = ["disable", "prefer", "require", "verify-ca", "verify-full", "no-verify"];

function hasKnownSslMode(url: string): boolean {
  return [...url.matchAll(/[?&]sslmode=([^&#]*)/g)].every(([, mode = ""]) =>
    sslModes.includes(mode),
  );
}

/**
 * Reads it as `pg` does, which takes a name alone for that of a database, and any protocol for its own.
 *
 * @returns host and database, for anybody to read; nothing where `pg` can't read it
 */
function databaseIn(url: string): string | undefined {
  if (!/^(postgres(ql)?:\/\/|socket:|\/)/.test(url)) return undefined;
  try {
    const { host, port, database } = parsePostgresUrl(url);
    return `${host || "localhost"}${port ? `:${port}` : ""}/${database ?? ""}`;
  } catch (error) {
    // A file of a certificate can't be read: the outbox tells that, and may have it later.
    return (error as NodeJS.ErrnoException).syscall && "postgres";
  }
}

const schema = z.object({
  NODE_ENV: z.string().optional(),
  SENTRY_DSN: z
    .string()
    .transform((text, ctx) => {
      const dsn = parseDsn(text);
      const message = "is not a DSN: protocol, public key, host and project, and nothing after it";
      if (!dsn) ctx.addIssue({ code: "custom", message });
      return dsn;
    })
    .optional()
    .meta({ example: "https://publickey@sentry.example.com/1" }),
  SENTRY_ENVIRONMENT: z
    .string()
    .refine(
      (text) => /^[^\s\\/\p{Cc}]{1,64}$/u.test(text) && !isReserved(text, "none"),
      "must be 1 to 64 characters without spaces, slashes and backslashes, and not . or .. or none",
    )
    .optional()
    .meta({ example: "staging" }),
  SENTRY_RELEASE: z
    .string()
    .refine(isReleaseName, releaseRule)
    .optional()
    .meta({ example: "2.1.0" }),
  SENTRY_TRACES_SAMPLE_RATE: rate.optional().meta({ example: "0.1" }),
  SENTRY_SERVER_TRACING: z
    .enum(["requests", "full"], 'must be "requests" or "full"')
    .default("requests")
    .meta({ example: "requests" }),
  BROWSER_TRACES_SAMPLE_RATE: rate.optional().meta({ example: "0.1" }),
  SENTRY_RESOLVE_STACKS: onOrOff.optional().meta({ example: "off" }),
  FEEDBACK_AS_EVENT: onOrOff.default(false).meta({ example: "on" }),
  DATA_DIR: z.string().default("./data").meta({ example: "./data" }),
  DATABASE_URL: z
    .string()
    .refine((text) => databaseIn(text) !== undefined, "is not a Postgres URL")
    .refine(hasKnownSslMode, `has an sslmode that is none of ${sslModes.join(", ")}`)
    .optional()
    .meta({ example: "postgres://user:password@db.example.com/signpost", secret: true }),
  DATABASE_SCHEMA: z
    .string()
    .regex(
      /^(?!pg_)[a-z_][a-z0-9_]{0,62}$/,
      "must be 1 to 63 lower-case letters, digits and underscores, and not begin with a digit or pg_",
    )
    .default("signpost")
    .meta({ example: "signpost" }),
  OUTBOX_RETENTION_HOURS: wholeNumber(1, 720).default(24).meta({ example: "72" }),
  // What a quarter of the outbox has room for, a database sends back in time, and is sent on in two minutes.
  RELAY_MAX_BYTES: wholeNumber(1024, 50 * 1024 * 1024)
    .default(2_097_152)
    .meta({ example: "2097152" }),
  RELAY_RATE: wholeNumber(1, 1_000_000).default(300).meta({ example: "300" }),
  TRUSTED_PROXIES: z
    .string()
    .transform((text, ctx) => {
      const proxies = text.split(",").map((part) => part.trim());
      try {
        proxyAddr.compile(proxies);
      } catch (error) {
        ctx.addIssue({
          code: "custom",
          message: `is not a list of addresses (${(error as Error).message})`,
        });
      }
      return proxies;
    })
    .default([])
    .meta({ example: "loopback,10.0.0.0/8" }),
  INBOX_TOKEN: z
    .string()
    .regex(/^\S{1,256}$/, "must be 1 to 256 characters without spaces")
    .optional()
    .meta({ example: "a-long-random-word", secret: true }),
  INBOX_RETENTION_DAYS: wholeNumber(1, 365).default(30).meta({ example: "30" }),
  INBOX_REPORT_RETENTION_DAYS: wholeNumber(1, 365).default(7).meta({ example: "7" }),
  SHUTDOWN_NOTICE_SECONDS: wholeNumber(0, 5).default(1).meta({ example: "5" }),
  REPORT_CLIENT_IP: z
    .enum(["true", "false"], 'must be "true" or "false"')
    .transform((text) => text === "true")
    .default(false)
    .meta({ example: "false" }),
  LOG_LEVEL: z
    .enum(["debug", "info", "warn", "error"], "must be debug, info, warn or error")
    .default("info")
    .meta({ example: "info" }),
});

/** All that the reporting reads, in the build and as a server starts. Next sets NODE_ENV. */
export const variables = [
  ...uploadVariables,
  ...Object.keys(schema.shape).filter((name) => name !== "NODE_ENV"),
  ...proxyVariables.filter((name) => name === name.toUpperCase()),
];

/** The settings that an operator chooses when the server starts. The build does not know them. */
export interface RuntimeConfig {
  /** Without it, a destination in the app's own store gets the reports, or they wait. */
  dsn: ReturnType<typeof parseDsn>;
  environment: string;
  release: string;
  /** The id of the build that this server runs. */
  build: string;
  /** 0 to 1. */
  serverTracesSampleRate: number;
  serverTracing: "requests" | "full";
  /** 0 to 1. */
  browserTracesSampleRate: number;
  /** Whether errors are given source lines before their delivery. */
  resolveStacks: boolean;
  /** Whether feedback is delivered as an event of level info. */
  feedbackAsEvent: boolean;
  /** Absolute path; not used with a database. */
  dataDir: string;
  /** Postgres as the outbox; the URL holds a password, and the name none. */
  database: { url: string; name: string; schema: string } | undefined;
  /** How long reports wait for a destination that can't be had. */
  outboxRetentionHours: number;
  relayMaxBytes: number;
  /** Envelopes per minute and client address. */
  relayRate: number;
  trustedProxies: string[];
  /** Milliseconds from the signal to stop, when `ready` turns 503, until connections are closed. */
  shutdownNoticeMs: number;
  reportClientIp: boolean;
  /** By which proxy the service is reached, or why it can't be. */
  proxy: RelayOptions["proxy"];
  /** Of the option `destination` of `init`. */
  destination: NonNullable<DestinationContext["settings"]>;
  logLevel: "debug" | "info" | "warn" | "error";
  production: boolean;
}

/** @throws {ConfigError} */
export function readRuntimeConfig(env: Record<string, string | undefined>): RuntimeConfig {
  const checked = checkEnvironment(schema, env);
  const { DATABASE_URL: url } = checked;
  const production = checked.NODE_ENV === "production";
  // The development server must not take the id of a build that happens to exist.
  const build = production ? buildId() : "development";
  if (!checked.SENTRY_RELEASE && !isReleaseName(build)) {
    throw new ConfigError([
      `SENTRY_RELEASE is not set, and the id of the build, ${JSON.stringify(build)}, can't stand for it: a release ${releaseRule}, for example SENTRY_RELEASE=2.1.0`,
    ]);
  }
  // Without a service there are few visitors yet, and whoever tries it out wants to see each.
  const sampleRate = checked.SENTRY_DSN ? 0.1 : 1;
  return {
    dsn: checked.SENTRY_DSN,
    environment: checked.SENTRY_ENVIRONMENT ?? (production ? "production" : "development"),
    release: checked.SENTRY_RELEASE ?? build,
    build,
    serverTracesSampleRate: checked.SENTRY_TRACES_SAMPLE_RATE ?? sampleRate,
    serverTracing: checked.SENTRY_SERVER_TRACING,
    browserTracesSampleRate: checked.BROWSER_TRACES_SAMPLE_RATE ?? sampleRate,
    // The service resolves them itself where it was given the maps. No build's are those of development.
    resolveStacks: checked.SENTRY_RESOLVE_STACKS ?? !(production && sourceMapsWereUploaded()),
    feedbackAsEvent: checked.FEEDBACK_AS_EVENT,
    dataDir: resolve(servedApp().folder, checked.DATA_DIR),
    database: url
      ? { url, name: databaseIn(url) ?? "", schema: checked.DATABASE_SCHEMA }
      : undefined,
    outboxRetentionHours: checked.OUTBOX_RETENTION_HOURS,
    relayMaxBytes: checked.RELAY_MAX_BYTES,
    relayRate: checked.RELAY_RATE,
    trustedProxies: checked.TRUSTED_PROXIES,
    shutdownNoticeMs: checked.SHUTDOWN_NOTICE_SECONDS * 1000,
    reportClientIp: checked.REPORT_CLIENT_IP,
    proxy: checked.SENTRY_DSN && outgoingProxy(checked.SENTRY_DSN.envelopeUrl, env),
    destination: {
      token: checked.INBOX_TOKEN,
      retentionDays: checked.INBOX_RETENTION_DAYS,
      reportRetentionDays: checked.INBOX_REPORT_RETENTION_DAYS,
    },
    logLevel: checked.LOG_LEVEL,
    production,
  };
}

/**
 * Where the app listens, with the port that the system chose where it was asked to. Next sets this
 * variable once it listens, before `register` of instrumentation.
 *
 * @returns such as "http://localhost:3000"; empty where a custom server alone knows its port
 */
export function servedOrigin(env: Record<string, string | undefined> = process.env): string {
  return env.__NEXT_PRIVATE_ORIGIN ?? (env.PORT ? `http://localhost:${env.PORT}` : "");
}

/** @returns the port of the server that Next has made. A custom server is none: only it knows its port */
export function servedPort(env: Record<string, string | undefined> = process.env) {
  return env.__NEXT_PRIVATE_ORIGIN ? Number(env.PORT) : undefined;
}

/**
 * The configuration of this process, read at first use.
 *
 * @throws {ConfigError}
 */
export function runtimeConfig(): RuntimeConfig {
  return singleton("config", () => readRuntimeConfig(process.env));
}
