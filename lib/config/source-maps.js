import { randomUUID } from "node:crypto";

/**
 * Has the build upload its source maps and then delete those that would be served. Nothing else
 * of what Sentry's wrapper does is wanted: reporting is set up by the app itself.
 *
 * Maps are found by the debug ids in the files, since one build goes through several environments
 * and is told its release when it starts:
 * https://docs.sentry.io/platforms/javascript/guides/nextjs/sourcemaps/
 *
 * @param {import("next").NextConfig} config
 * @param {NonNullable<ReturnType<typeof import("./build.js").readBuildConfig>["sourceMaps"]>} sourceMaps
 * @returns {Promise<import("next").NextConfig>} of a build that fails where the upload does
 */
export async function withSourceMaps(config, { authToken, org, project }) {
  // A build without a token loads none of this, and so can't call out.
  const { withSentryConfig } = await import("@sentry/nextjs/config");
  const experimental = { ...config.experimental };
  // The upload wants the name of a release: the build's id, which is the release by default.
  const id = config.deploymentId ?? randomUUID();
  return {
    ...withSentryConfig(config, {
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
    }),
    generateBuildId: () => id,
    // The wrapper adds trace headers of its own to every page; pages/_document.tsx has better ones.
    experimental,
  };
}
