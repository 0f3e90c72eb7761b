import { existsSync, readFileSync } from "node:fs";
import { ConfigError, checkEnvironment } from "@signpost/sentry/config";
import { z } from "zod";

const schema = z.object({
  NEXT_PUBLIC_BASE_PATH: z
    .string()
    .regex(/^(\/[\w.~-]+)+$/, "must begin with a slash and not end with one")
    .default("")
    .meta({ example: "/shell" }),
  NEXT_PUBLIC_TUNNEL: z
    .string()
    .regex(/^[\w-]{1,64}$/, "must be 1 to 64 letters, digits, - or _")
    .default("relay")
    .meta({ example: "relay" }),
  SITE_ORIGIN: z
    .string()
    .regex(/^https?:\/\/[\w.:[\]-]+$/, "must be an origin: no path, and no slash at the end")
    .optional()
    .meta({ example: "https://www.example.com" }),
  NEXT_DEPLOYMENT_ID: z
    .string()
    .regex(/^[\w-]{1,64}$/, "must be 1 to 64 letters, digits, - or _")
    .optional()
    .meta({ example: "2026-11-21-b7485d5" }),
});

/** The variables that the app's part of a build reads. */
export const buildVariables = Object.keys(schema.shape);

/**
 * Reads the settings that are fixed by the build. Node itself runs this file
 * and what it imports, because next.config.js does.
 *
 * @param apiNames names taken under /api, which the tunnel can't have
 * @throws {ConfigError}
 */
export function readBuildConfig(
  env: Record<string, string | undefined> = process.env,
  apiNames: readonly string[] = [],
): {
  basePath: string;
  tunnel: string;
  siteOrigin: string | undefined;
  deploymentId: string | undefined;
} {
  const checked = checkEnvironment(schema, env);
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
  env: Record<string, string | undefined> = process.env,
): string | undefined {
  const manifest = textOf(`${distDir}/required-server-files.json`);
  if (manifest === undefined) return undefined;
  const { config } = JSON.parse(manifest);
  env.NEXT_DEPLOYMENT_ID = config.deploymentId || "";
  return config.deploymentId || undefined;
}

/** @returns nothing if there is no such file */
function textOf(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}
