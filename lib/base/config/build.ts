import { readFileSync } from "node:fs";
import { z } from "zod";
import { ConfigError, checkEnvironment } from "./check-environment.ts";

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
  NEXT_DEPLOYMENT_ID: z
    .string()
    .regex(/^[\w-]{1,64}$/, "must be 1 to 64 letters, digits, - or _")
    .optional()
    .meta({ example: "2026-11-21-b7485d5" }),
  SOURCE_MAPS: z
    .enum(["on", "off"], 'must be "on" or "off"')
    .default("on")
    .meta({ example: "off" }),
  SENTRY_AUTH_TOKEN: z.string().optional().meta({ example: "sntrys_…", secret: true }),
  SENTRY_ORG: z.string().optional().meta({ example: "my-org" }),
  SENTRY_PROJECT: z.string().optional().meta({ example: "my-project" }),
});

/** The variables that a build reads. */
export const buildVariables = Object.keys(schema.shape);

/**
 * Reads the settings that are fixed by the build. Node itself runs this file
 * and what it imports, because next.config.js does.
 *
 * @param apiRoutes patterns of the API routes, whose names the tunnel can't have
 * @returns with `sourceMapUpload`, which needs a token, source maps are uploaded and not kept
 * @throws {ConfigError}
 */
export function readBuildConfig(
  env: Record<string, string | undefined> = process.env,
  apiRoutes: readonly string[] = [],
): {
  basePath: string;
  tunnel: string;
  deploymentId: string | undefined;
  keepSourceMaps: boolean;
  sourceMapUpload:
    | { authToken: string; org: string | undefined; project: string | undefined }
    | undefined;
} {
  const checked = checkEnvironment(schema, env);
  const tunnel = checked.NEXT_PUBLIC_TUNNEL;
  if (apiRoutes.some((route) => route.split("/")[2] === tunnel)) {
    throw new ConfigError([
      `NEXT_PUBLIC_TUNNEL is "${tunnel}": is the name of another API route, for example NEXT_PUBLIC_TUNNEL=relay`,
    ]);
  }
  return {
    basePath: checked.NEXT_PUBLIC_BASE_PATH,
    tunnel,
    deploymentId: checked.NEXT_DEPLOYMENT_ID,
    keepSourceMaps: checked.SOURCE_MAPS === "on" && !checked.SENTRY_AUTH_TOKEN,
    sourceMapUpload: checked.SENTRY_AUTH_TOKEN
      ? {
          authToken: checked.SENTRY_AUTH_TOKEN,
          org: checked.SENTRY_ORG,
          project: checked.SENTRY_PROJECT,
        }
      : undefined,
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

/** @returns the id Next gave the build, or "development" where there is none */
export function buildId(distDir = ".next"): string {
  return textOf(`${distDir}/BUILD_ID`)?.trim() ?? "development";
}

/** The folder with the source maps of this build and of older ones. It is never served. */
export function sourceMapsFolder(distDir = ".next") {
  return `${distDir}/source-maps`;
}

/**
 * Whether the build uploaded its source maps to the service.
 *
 * @returns false if there is no build, or no note of an upload
 */
export function sourceMapsWereUploaded(distDir = ".next"): boolean {
  const note = textOf(`${sourceMapsFolder(distDir)}/build.json`);
  return note !== undefined && JSON.parse(note).uploaded === true;
}

/** @returns nothing if there is no such file */
function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
