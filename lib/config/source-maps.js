import { randomUUID } from "node:crypto";
import { keepSourceMaps, noteUpload } from "./kept-source-maps.js";

/**
 * Has the build upload its source maps, or keep them for the server to resolve stacks with. Either
 * way none of them is served. The work is done by Next's own hook, so a plain `next build` is as safe
 * as `npm run build`.
 *
 * @param {import("next").NextConfig} config
 * @param {Pick<ReturnType<typeof import("./build.js").readBuildConfig>, "keepSourceMaps" | "sourceMapUpload">} build
 * @returns {Promise<import("next").NextConfig>}
 */
export async function withSourceMaps(config, { keepSourceMaps: keep, sourceMapUpload }) {
  if (!keep && !sourceMapUpload) return config;
  // Maps belong to a build, and Next tells the hook no id.
  const id = config.deploymentId ?? makeBuildId();
  const withId = { ...config, generateBuildId: () => id };
  return sourceMapUpload ? withUpload(withId, id, sourceMapUpload) : withKeeping(withId, id);
}

/**
 * @param {import("next").NextConfig} config
 * @param {string} id
 * @returns {import("next").NextConfig}
 */
function withKeeping(config, id) {
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
 * Has the build upload its source maps and then delete those that would be served. Nothing else
 * of what Sentry's wrapper does is wanted: reporting is set up by the app itself.
 *
 * Maps are found by the debug ids in the files, since one build goes through several environments
 * and is told its release when it starts:
 * https://docs.sentry.io/platforms/javascript/guides/nextjs/sourcemaps/
 *
 * @param {import("next").NextConfig} config
 * @param {string} id the upload wants the name of a release: the build's id, which is the default
 * @param {{ authToken: string, org: string | undefined, project: string | undefined }} upload
 * @returns {Promise<import("next").NextConfig>} of a build that fails where the upload does
 */
async function withUpload(config, id, { authToken, org, project }) {
  // A build without a token loads none of this, and so can't call out.
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
    // The wrapper adds trace headers of its own to every page; pages/_document.tsx has better ones.
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

/** Ad blockers take some addresses with "ad" for advertising, and the id is in page data's. */
function makeBuildId() {
  return randomUUID().replaceAll("a", "b");
}
