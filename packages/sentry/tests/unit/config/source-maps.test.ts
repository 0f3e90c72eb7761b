import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { NextConfig } from "next";
import { PHASE_PRODUCTION_BUILD } from "next/constants.js";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import nextConfig from "@/next.config.js";
import { withSourceMaps } from "@/packages/sentry/src/config/source-maps";
import { withSentryConfig } from "@/packages/sentry/src/config/with-sentry-config";
import {
  readUploadConfig,
  sourceMapsWereUploaded,
} from "@/packages/sentry/src/shared/environment/build";
import { temporaryFolder, writeIn } from "@/tests/support/folders";
import { startUploads, uploadedArchive } from "@/tests/support/uploads";

const token = { SENTRY_AUTH_TOKEN: "the-token", SENTRY_ORG: "o", SENTRY_PROJECT: "p" };

beforeEach(() => {
  // What the uploader learns of a service it keeps in the user's home, for the next time.
  const home = temporaryFolder();
  const unset = { SENTRY_AUTH_TOKEN: "", SENTRY_ORG: "", SENTRY_PROJECT: "", SOURCE_MAPS: "" };
  stub({ ...unset, TURBOPACK: "1", SENTRY_CONFIG_DIR: home, SENTRY_NO_CACHE: "1" });
  return () => vi.unstubAllEnvs();
});

function stub(env: Record<string, string>): void {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
}

async function uploadsOfTest() {
  const uploads = await startUploads();
  onTestFinished(uploads.close);
  return uploads;
}

/** The least that a finished build has: a file for the browser and one for the server, with maps. */
function someBuild(): string {
  const dist = temporaryFolder();
  for (const folder of ["static/chunks", "server"]) {
    const debugId = randomUUID();
    const comments = `//# debugId=${debugId}\n//# sourceMappingURL=a.js.map\n`;
    writeIn(dist, `${folder}/a.js`, `console.log(1);\n${comments}`);
    const sources = { sources: ["a.ts"], sourcesContent: [`source for ${folder}`] };
    const map = { version: 3, ...sources, names: [], mappings: "AAAA", debug_id: debugId };
    writeIn(dist, `${folder}/a.js.map`, JSON.stringify({ ...map, debugId }));
  }
  return dist;
}

/** What Next calls once it has compiled. */
async function afterCompile({ compiler }: NextConfig, distDir: string): Promise<void> {
  await compiler?.runAfterProductionCompile?.({ projectDir: process.cwd(), distDir });
}

test("without a token a build keeps its source maps, and uploads none", async () => {
  const { asked, url } = await uploadsOfTest();
  stub({ SENTRY_URL: url });
  const dist = someBuild();
  const config = await nextConfig(PHASE_PRODUCTION_BUILD);
  expect(config.productionBrowserSourceMaps).toBe(true);
  expect(config.experimental?.serverSourceMaps).toBe(true);
  await afterCompile(config, dist);
  const id = await config.generateBuildId?.();
  expect(id).toMatch(/^[\da-f]{16}$/);
  for (const file of ["static/chunks/a.js", "server/a.js"]) {
    expect(existsSync(join(dist, "source-maps", String(id), `${file}.map.gz`)), file).toBe(true);
  }
  expect(existsSync(join(dist, "static/chunks/a.js.map"))).toBe(false);
  expect(sourceMapsWereUploaded(dist)).toBe(false);
  expect(asked).toEqual([]);
});

test("a build whose source maps are turned off makes none", async () => {
  stub({ SOURCE_MAPS: "off" });
  const config = await nextConfig(PHASE_PRODUCTION_BUILD);
  expect(config.productionBrowserSourceMaps).toBeUndefined();
  expect(config.generateBuildId).toBeUndefined();
  const dist = someBuild();
  await afterCompile(config, dist);
  expect(existsSync(join(dist, "source-maps"))).toBe(false);
});

test("the id of a build never holds what ad blockers look for", async () => {
  for (let i = 0; i < 200; i += 1) {
    const { generateBuildId } = await withSourceMaps(
      {},
      { keepSourceMaps: true, sourceMapUpload: undefined },
      "16.4.5",
    );
    expect(await generateBuildId?.()).not.toMatch(/ad/i);
  }
});

test("an app's own build id and hook count beside the kept maps", async () => {
  const dist = someBuild();
  const ran: string[] = [];
  const runAfterProductionCompile = async ({ distDir }: { distDir: string }) => {
    ran.push(existsSync(join(distDir, "static/chunks/a.js.map")) ? "before" : "after");
  };
  const own = { generateBuildId: async () => "own-id", compiler: { runAfterProductionCompile } };
  const config = withSentryConfig(own);
  await afterCompile(config, dist);
  expect(ran).toEqual(["before"]);
  expect(await config.generateBuildId?.()).toBe("own-id");
  expect(existsSync(join(dist, "source-maps/own-id/static/chunks/a.js.map.gz"))).toBe(true);
});

test("where the app turns the upload off, a token uploads nothing", async () => {
  const { url, asked } = await uploadsOfTest();
  stub({ ...token, SENTRY_URL: url });
  const dist = someBuild();
  await afterCompile(withSentryConfig({}, { sourcemaps: { disable: true } }), dist);
  expect(asked).toEqual([]);
  expect(sourceMapsWereUploaded(dist)).toBe(false);
});

test("with a token the wrapper adds source maps, and nothing a visitor would pay for", async () => {
  const plain = await nextConfig(PHASE_PRODUCTION_BUILD);
  stub(token);
  const config = await nextConfig(PHASE_PRODUCTION_BUILD);
  expect(config.productionBrowserSourceMaps).toBe(true);
  expect(config.turbopack?.debugIds).toBe(true);
  expect(config.rewrites).toBeUndefined();
  expect(config.experimental).toEqual(plain.experimental);
  expect(JSON.stringify(config)).not.toContain(token.SENTRY_AUTH_TOKEN);
});

test.each([
  ["15.4.0", undefined],
  ["15.5.29", undefined],
  ["16.0.0", true],
])("Next %s gets no option that it does not know", (version, debugIds) => {
  const build = readUploadConfig(token);
  expect(withSourceMaps({}, build, version).turbopack?.debugIds).toBe(debugIds);
});

test("a deployment's name is the build's id, with source maps and without", async () => {
  stub({ NEXT_DEPLOYMENT_ID: "deployment-1" });
  const plain = await nextConfig(PHASE_PRODUCTION_BUILD);
  stub(token);
  const config = await nextConfig(PHASE_PRODUCTION_BUILD);
  for (const { generateBuildId } of [plain, config]) {
    expect(await generateBuildId?.()).toBe("deployment-1");
  }
});

test("maps go to the service with the app's own build id, and are gone from what is served", async () => {
  const { url, asked } = await uploadsOfTest();
  stub(token);
  const dist = someBuild();
  const runAfterProductionCompile = vi.fn();
  const own = { generateBuildId: async () => "own-id", compiler: { runAfterProductionCompile } };
  await afterCompile(withSentryConfig(own, { sentryUrl: url }), dist);
  expect(runAfterProductionCompile).toHaveBeenCalledOnce();
  const assembled = asked.find(({ path }) => path?.endsWith("/assemble/"));
  expect(JSON.parse(String(assembled?.body))).toMatchObject({
    projects: ["p"],
    version: "own-id",
  });
  const upload = asked.find(
    ({ method, path }) => method === "POST" && path?.includes("chunk-upload"),
  );
  expect(upload?.authorization).toBe("Bearer the-token");
  expect(uploadedArchive(upload?.body)).toContain("a.js.map");
  expect(existsSync(join(dist, "static/chunks/a.js.map"))).toBe(false);
  expect(readFileSync(join(dist, "static/chunks/a.js"), "utf8")).not.toContain("sourceMappingURL");
  expect(sourceMapsWereUploaded(dist)).toBe(true);
});

test("a build whose maps can't be uploaded fails, and says so", async () => {
  stub({ ...token, SENTRY_URL: "http://127.0.0.1:9" });
  const config = await nextConfig(PHASE_PRODUCTION_BUILD);
  const dist = someBuild();
  await expect(afterCompile(config, dist)).rejects.toThrow("The source maps could not be uploaded");
  expect(sourceMapsWereUploaded(dist)).toBe(false);
});
