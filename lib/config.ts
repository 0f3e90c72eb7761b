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

/**
 * The variables that must be set, which the tests set to their examples.
 *
 * @returns examples by name; empty where there is none
 */
export function neededExamples(schema: z.ZodObject = serverSchema): Record<string, string> {
  const needed = Object.entries(schema.shape as Record<string, z.ZodType>).filter(
    ([, field]) => !field.safeParse(undefined).success,
  );
  return Object.fromEntries(
    needed.map(([name, field]) => [name, String(field.meta()?.example ?? "")]),
  );
}

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
