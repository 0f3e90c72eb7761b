import { readFileSync } from "node:fs";
import { z } from "zod";
import { checkEnvironment } from "./refusal.js";

/** Names under /api that pages of the app already answer to. */
const takenApiNames = ["echo", "failure", "feedback", "health", "settings"];

const schema = z.object({
  NEXT_PUBLIC_BASE_PATH: z
    .string()
    .regex(/^(\/[\w.~-]+)+$/, "must begin with a slash and not end with one")
    .default(""),
  NEXT_PUBLIC_TUNNEL: z
    .string()
    .regex(/^[\w-]{1,64}$/, "must be 1 to 64 letters, digits, - or _")
    .refine((name) => !takenApiNames.includes(name), "is the name of another API route")
    .default("relay"),
  SENTRY_AUTH_TOKEN: z.string().optional(),
  SENTRY_ORG: z.string().optional(),
  SENTRY_PROJECT: z.string().optional(),
});

/** The variables that a build reads. */
export const buildVariables = Object.keys(schema.shape);

const examples = {
  NEXT_PUBLIC_BASE_PATH: "/shell",
  NEXT_PUBLIC_TUNNEL: "relay",
  SENTRY_AUTH_TOKEN: "sntrys_…",
  SENTRY_ORG: "my-org",
  SENTRY_PROJECT: "my-project",
};

/**
 * What is fixed when the app is built. Plain JavaScript, since next.config.js imports it.
 *
 * @param {Record<string, string | undefined>} [env]
 * @returns {{ basePath: string, tunnel: string, sourceMaps: { authToken: string, org: string | undefined, project: string | undefined } | undefined }}
 *   `sourceMaps` is there only with a token: then source maps are uploaded
 * @throws {import("./refusal.js").ConfigError}
 */
export function readBuildConfig(env = process.env) {
  const checked = checkEnvironment(schema, env, examples, ["SENTRY_AUTH_TOKEN"]);
  return {
    basePath: checked.NEXT_PUBLIC_BASE_PATH,
    tunnel: checked.NEXT_PUBLIC_TUNNEL,
    sourceMaps: checked.SENTRY_AUTH_TOKEN
      ? {
          authToken: checked.SENTRY_AUTH_TOKEN,
          org: checked.SENTRY_ORG,
          project: checked.SENTRY_PROJECT,
        }
      : undefined,
  };
}

/**
 * The base path a finished build was made with: at start the build decides, not the environment.
 *
 * @param {string} [distDir]
 * @returns {string} empty, or beginning with a slash
 */
export function builtBasePath(distDir = ".next") {
  return JSON.parse(readFileSync(`${distDir}/routes-manifest.json`, "utf8")).basePath;
}

/**
 * @param {string} [distDir]
 * @returns {string} the id Next gave the build, or "development" where there is none
 */
export function buildId(distDir = ".next") {
  try {
    return readFileSync(`${distDir}/BUILD_ID`, "utf8").trim();
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === "ENOENT") return "development";
    throw error;
  }
}
