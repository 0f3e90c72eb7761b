import { randomBytes } from "node:crypto";
import type { NextConfig } from "next";
import type { readUploadConfig } from "../shared/environment/build.ts";
import { isAtLeast } from "../shared/environment/versions.ts";
import { dropBrowserMaps, keepSourceMaps, noteUpload } from "./kept-source-maps.ts";

type BuildConfig = Pick<ReturnType<typeof readUploadConfig>, "keepSourceMaps" | "sourceMapUpload">;
type Upload = NonNullable<BuildConfig["sourceMapUpload"]>;

/**
 * Makes the build upload its source maps, or keep them, so that the server can resolve stacks. None
 * is served in either case. Next calls what this adds in builds only. The app's own hook runs first,
 * and its own build id counts.
 */
export function withSourceMaps(
  config: NextConfig,
  { keepSourceMaps: keep, sourceMapUpload }: BuildConfig,
  nextVersion: string,
): NextConfig {
  if (!keep && !sourceMapUpload) return config;
  // Maps belong to a build, and the hook does not get its id.
  let id: Promise<string> | undefined;
  const buildId = () => {
    id ??= idOf(config);
    return id;
  };
  return {
    ...config,
    generateBuildId: buildId,
    productionBrowserSourceMaps: true,
    // For webpack: Turbopack makes the server's maps anyway.
    experimental: { ...config.experimental, serverSourceMaps: true },
    turbopack: {
      ...config.turbopack,
      // With an older Next, the upload itself writes them, as it does with webpack.
      ...(sourceMapUpload && isAtLeast(nextVersion, "16.0") && { debugIds: true }),
    },
    compiler: {
      ...config.compiler,
      runAfterProductionCompile: async (build) => {
        await config.compiler?.runAfterProductionCompile?.(build);
        if (sourceMapUpload) await upload(config, build, await buildId(), sourceMapUpload);
        else keepSourceMaps(build.distDir, await buildId());
      },
    },
  };
}

async function idOf({ generateBuildId, deploymentId }: NextConfig): Promise<string> {
  // As Next trims it.
  return (await generateBuildId?.())?.trim() ?? deploymentId ?? makeBuildId();
}

/**
 * Uploads a build's source maps and deletes those that would be served. Everything else that
 * Sentry's wrapper does is turned off: the app sets up reporting itself.
 *
 * The service finds maps by the debug ids in the files. One build runs in several environments, and
 * its release is set only when it starts:
 * https://docs.sentry.io/platforms/javascript/guides/nextjs/sourcemaps/
 *
 * @param id of the build. It is the default release, and the upload needs a release's name
 * @throws {Error} where the upload fails; the build fails then
 */
async function upload(
  { experimental }: NextConfig,
  build: { projectDir: string; distDir: string },
  id: string,
  options: Upload,
): Promise<void> {
  // Imported only with a token, so that a build without one makes no network request.
  const { withSentryConfig } = await import("@sentry/nextjs/config");
  // Changed by the wrapper, which keeps its hook alone.
  const bare: NextConfig = { experimental: { ...experimental } };
  const { compiler } = withSentryConfig(bare, {
    ...options,
    telemetry: false,
    release: { name: id, create: false, finalize: false, setCommits: false },
    sourcemaps: { deleteSourcemapsAfterUpload: true },
    useRunAfterProductionCompileHook: true,
    // With webpack, the wrapper looks for a folder of the App Router else, which must be there.
    widenClientFileUpload: true,
    routeManifestInjection: false,
    buildTimeInstrumentation: false,
    suppressOnRouterTransitionStartWarning: true,
    errorHandler: (error) => {
      throw new Error("The source maps could not be uploaded", { cause: error });
    },
  });
  // The wrapper adds none for Next 15.4.0.
  if (!compiler?.runAfterProductionCompile) {
    throw new Error(
      "Sentry's SDK uploads no source maps with this version of Next: take a newer one",
    );
  }
  await compiler.runAfterProductionCompile(build);
  // With webpack, the wrapper leaves the addresses of the maps.
  dropBrowserMaps(build.distDir);
  noteUpload(build.distDir, id);
}

/** The id stands in the URLs of page data, and ad blockers block some URLs with "ad". */
function makeBuildId() {
  return randomBytes(8).toString("hex").replaceAll("a", "b");
}
