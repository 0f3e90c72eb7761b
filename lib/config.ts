import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { ConfigError, checkEnvironment } from "@signpost/sentry/config";
import { z } from "zod";

/*
 * The app's variables; those of the reporting are the package's. An `example` is for the message about
 * a wrong value, which does not show a `secret` one. `.env.example` explains each. Node itself runs
 * this file, because next.config.js imports it. What of it the browser needs, the build writes into
 * lib/navigation/location.ts.
 */

type Environment = Record<string, string | undefined>;

const token = z
  .string()
  .regex(/^[\x21-\x7e]{16,256}$/, "must be 16 to 256 ASCII characters without spaces")
  .optional()
  .meta({ example: "a-long-random-word", secret: true });

const days = z
  .string()
  .regex(/^[1-9]\d{0,2}$/, "must be a whole number from 1 to 365")
  .transform(Number)
  .refine((value) => value <= 365, "must be a whole number from 1 to 365");

const name = z.string().regex(/^[\w-]{1,64}$/, "must be 1 to 64 letters, digits, - or _");

/** Read when the server starts: `env().NAME`. Yours go here. */
const serverSchema = z.object({
  /** Opens `/api/deliver`. */
  DELIVER_TOKEN: token,
  /** Opens `/api/metrics`. */
  METRICS_TOKEN: token,
  /** Milliseconds that a connection is kept after an answer. Next's own, which its standalone server reads besides. */
  KEEP_ALIVE_TIMEOUT: z
    .string()
    .regex(/^[1-9]\d{3,7}$/, "must be milliseconds, a whole number from 1000 to 99999999")
    .transform(Number)
    .default(65_000)
    .meta({ example: "65000" }),
  INBOX_TOKEN: z
    .string()
    .regex(/^\S{1,256}$/, "must be 1 to 256 characters without spaces")
    .optional()
    .meta({ example: "a-long-random-word", secret: true }),
  INBOX_RETENTION_DAYS: days.default(30).meta({ example: "30" }),
  INBOX_REPORT_RETENTION_DAYS: days.default(7).meta({ example: "7" }),
});

/** Fixed by the build. */
const buildSchema = z.object({
  NEXT_PUBLIC_BASE_PATH: z
    .string()
    .regex(/^(\/[\w.~-]+)+$/, "must begin with a slash and not end with one")
    .default("")
    .meta({ example: "/shell" }),
  NEXT_PUBLIC_TUNNEL: name.default("relay").meta({ example: "relay" }),
  SITE_ORIGIN: z
    .string()
    .regex(/^https?:\/\/[\w.:[\]-]+$/, "must be an origin: no path, and no slash at the end")
    .optional()
    .meta({ example: "https://www.example.com" }),
  NEXT_DEPLOYMENT_ID: name.optional().meta({ example: "2026-11-21-b7485d5" }),
});

/** The names of all variables that the app itself reads. */
export const appVariables = [...Object.keys(serverSchema.shape), ...Object.keys(buildSchema.shape)];

type ServerVariables = z.infer<typeof serverSchema>;

let checked: ServerVariables | undefined;

/**
 * The values of the server's variables.
 *
 * @throws {ConfigError}
 */
export function env(): ServerVariables {
  checked ??= readServerVariables(process.env);
  return checked;
}

/** @throws {ConfigError} */
export function readServerVariables(given: Environment): ServerVariables {
  return checkEnvironment(serverSchema, given);
}

/** What the inbox reads. */
export interface InboxConfig {
  inboxToken: string;
  /** Generated at this start, so the operator must be shown it. */
  inboxTokenIsRandom: boolean;
  /** How long the inbox keeps what it shows, and whole reports, which it never keeps for longer. */
  inboxRetentionDays: number;
  inboxReportRetentionDays: number;
}

/** In all instances of this module: Next loads it for instrumentation, pages and API routes. */
const madeUp = globalThis as { [key: symbol]: string | undefined };
const madeUpToken = Symbol.for("signpost.inbox token");

export function inboxConfig(given: Environment = process.env): InboxConfig {
  const checked = readServerVariables(given);
  madeUp[madeUpToken] ??= randomBytes(16).toString("hex");
  return {
    inboxToken: checked.INBOX_TOKEN ?? (madeUp[madeUpToken] as string),
    inboxTokenIsRandom: checked.INBOX_TOKEN === undefined,
    inboxRetentionDays: checked.INBOX_RETENTION_DAYS,
    inboxReportRetentionDays: Math.min(
      checked.INBOX_REPORT_RETENTION_DAYS,
      checked.INBOX_RETENTION_DAYS,
    ),
  };
}

/**
 * Reads the settings that are fixed by the build.
 *
 * @param apiNames names taken under /api, which the tunnel can't have
 * @throws {ConfigError}
 */
export function readBuildConfig(given: Environment, apiNames: readonly string[] = []) {
  const checked = checkEnvironment(buildSchema, given);
  const tunnel = checked.NEXT_PUBLIC_TUNNEL;
  if (apiNames.includes(tunnel)) {
    throw new ConfigError([
      `NEXT_PUBLIC_TUNNEL is "${tunnel}": is the name of another API route, for example NEXT_PUBLIC_TUNNEL=relay`,
    ]);
  }
  return {
    basePath: checked.NEXT_PUBLIC_BASE_PATH,
    tunnel,
    siteOrigin: checked.SITE_ORIGIN,
    deploymentId: checked.NEXT_DEPLOYMENT_ID,
  };
}

/**
 * The base path of a finished build. When the server starts, the build decides, not the environment.
 *
 * @returns empty, or beginning with a slash. Empty too without a build, of which Next itself tells
 */
export function builtBasePath(): string {
  return JSON.parse(textOf(".next/routes-manifest.json") ?? '{ "basePath": "" }').basePath;
}

/**
 * The deployment id of a finished build. When the server starts, the build decides, because its pages
 * hold this id. Next reads the environment instead, so this writes the id there.
 */
export function keepDeploymentId(
  distDir = ".next",
  given: Environment = process.env,
): string | undefined {
  const manifest = textOf(`${distDir}/required-server-files.json`);
  if (manifest === undefined) return undefined;
  const { config } = JSON.parse(manifest);
  given.NEXT_DEPLOYMENT_ID = config.deploymentId || "";
  return config.deploymentId || undefined;
}

/** @returns nothing if there is no such file */
function textOf(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}
