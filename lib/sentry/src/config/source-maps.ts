import { randomBytes } from "node:crypto";
import type { NextConfig } from "next";
import type { readUploadConfig } from "../shared/environment/build.ts";
import { keepSourceMaps, noteUpload } from "./kept-source-maps.ts";

type BuildConfig = Pick<ReturnType<typeof readUploadConfig>, "keepSourceMaps" | "sourceMapUpload">;

/**
 * Makes the build upload its source maps, or keep them, so that the server can resolve stacks. None
 * is served in either case. This uses a hook of Next's.
 */
export async function withSourceMaps(
  config: NextConfig,
  { keepSourceMaps: keep, sourceMapUpload }: BuildConfig,
): Promise<NextConfig> {
  if (!keep && !sourceMapUpload) return config;
  // Maps belong to a build, and the hook does not get its id.
  const id = config.deploymentId ?? makeBuildId();
  const withId = { ...config, generateBuildId: () => id };
  return sourceMapUpload ? withUpload(withId, id, sourceMapUpload) : withKeeping(withId, id);
}

function withKeeping(config: NextConfig, id: string): NextConfig {
  return {
    ...config,
    productionBrowserSourceMaps: true,
    compiler: {
      ...config.compiler,
      runAfterProductionCompile: async ({ distDir }) => keepSourceMaps(distDir, id),
    },
  };
}

/**
 * Makes the build upload its source maps and delete those that would be served. Everything else that
 * Sentry's wrapper does is turned off: the app sets up reporting itself.
 *
 * The service finds maps by the debug ids in the files. One build runs in several environments, and
 * its release is set only when it starts:
 * https://docs.sentry.io/platforms/javascript/guides/nextjs/sourcemaps/
 *
 * @param id of the build. It is the default release, and the upload needs a release's name
 * @returns the build fails if the upload fails
 */
async function withUpload(
  config: NextConfig,
  id: string,
  { authToken, org, project }: NonNullable<BuildConfig["sourceMapUpload"]>,
): Promise<NextConfig> {
  // Imported only with a token, so that a build without one makes no network request.
  const { withSentryConfig } = await import("@sentry/nextjs/config");
  const experimental = { ...config.experimental };
  const { generateBuildId } = config;
  const wrapped = withSentryConfig(config, {
    authToken,
    org,
    project,
    telemetry: false,
    release: { name: id, create: false, finalize: false, setCommits: false },
    sourcemaps: { deleteSourcemapsAfterUpload: true },
    routeManifestInjection: false,
    buildTimeInstrumentation: false,
    suppressOnRouterTransitionStartWarning: true,
    errorHandler: (error) => {
      throw new Error("The source maps could not be uploaded", { cause: error });
    },
  });
  return {
    ...wrapped,
    generateBuildId,
    // The wrapper adds trace metadata to every page. pages/_document.tsx does that for those that
    // are rendered for one request only.
    experimental,
    compiler: {
      ...wrapped.compiler,
      runAfterProductionCompile: async (build) => {
        await wrapped.compiler?.runAfterProductionCompile?.(build);
        noteUpload(build.distDir, id);
      },
    },
  };
}

/** The id stands in the URLs of page data, and ad blockers block some URLs with "ad". */
function makeBuildId() {
  return randomBytes(8).toString("hex").replaceAll("a", "b");
}
