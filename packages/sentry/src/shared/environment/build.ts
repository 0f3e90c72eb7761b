import { readFileSync } from "node:fs";
import { z } from "zod";
import { checkEnvironment } from "./check-environment.ts";
import { servedApp } from "./served-app.ts";

const schema = z.object({
  SOURCE_MAPS: z
    .enum(["on", "off"], 'must be "on" or "off"')
    .default("on")
    .meta({ example: "off" }),
  SENTRY_AUTH_TOKEN: z.string().optional().meta({ example: "sntrys_…", secret: true }),
  SENTRY_ORG: z.string().optional().meta({ example: "my-org" }),
  SENTRY_PROJECT: z.string().optional().meta({ example: "my-project" }),
  SENTRY_URL: z.string().optional().meta({ example: "https://sentry.example.com" }),
});

/** The variables that the reporting's part of a build reads. */
export const uploadVariables = Object.keys(schema.shape);

/**
 * What becomes of the build's source maps. Node itself runs this file and what it imports, because
 * next.config does.
 *
 * @returns with `sourceMapUpload`, which needs a token, source maps are uploaded and not kept
 * @throws {import("./check-environment.ts").ConfigError}
 */
export function readUploadConfig(env: Record<string, string | undefined> = process.env): {
  keepSourceMaps: boolean;
  sourceMapUpload:
    | {
        authToken: string;
        org: string | undefined;
        project: string | undefined;
        sentryUrl: string | undefined;
      }
    | undefined;
} {
  const checked = checkEnvironment(schema, env);
  return {
    keepSourceMaps: checked.SOURCE_MAPS === "on" && !checked.SENTRY_AUTH_TOKEN,
    sourceMapUpload: checked.SENTRY_AUTH_TOKEN
      ? {
          authToken: checked.SENTRY_AUTH_TOKEN,
          org: checked.SENTRY_ORG,
          project: checked.SENTRY_PROJECT,
          sentryUrl: checked.SENTRY_URL,
        }
      : undefined,
  };
}

/** @returns the id Next gave the build, or "development" where there is none */
export function buildId(folder = servedApp().distDir): string {
  return textOf(`${folder}/BUILD_ID`)?.trim() ?? "development";
}

/** The folder with the source maps of this build and of older ones. It is never served. */
export function sourceMapsFolder(folder = servedApp().distDir) {
  return `${folder}/source-maps`;
}

/**
 * Whether the build uploaded its source maps to the service.
 *
 * @returns false if there is no build, or no note of an upload
 */
export function sourceMapsWereUploaded(folder = servedApp().distDir): boolean {
  const note = textOf(`${sourceMapsFolder(folder)}/build.json`);
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
