import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { withSentryConfig } from "@/packages/sentry/src/config/with-sentry-config";
import { temporaryFolder, writeIn } from "@/tests/support/folders";
import { startUploads, uploadedArchive } from "@/tests/support/uploads";

/* Apart from source-maps.test.ts: the uploader keeps in its process what it has learned of the first service. */

test("maps of a build by webpack, which has no folder of the App Router, go to the service", async () => {
  const uploads = await startUploads();
  onTestFinished(uploads.close);
  onTestFinished(() => void vi.unstubAllEnvs());
  const env = { ...uploads.env, TURBOPACK: "" };
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  const dist = temporaryFolder();
  for (const folder of ["static/chunks/pages", "server/pages"]) {
    const debugId = randomUUID();
    const map = {
      version: 3,
      sources: ["a.ts"],
      sourcesContent: [""],
      names: [],
      mappings: "AAAA",
    };
    writeIn(
      dist,
      `${folder}/a.js`,
      `console.log(1);\n//# debugId=${debugId}\n//# sourceMappingURL=a.js.map\n`,
    );
    writeIn(dist, `${folder}/a.js.map`, JSON.stringify({ ...map, debugId }));
  }
  const { compiler } = withSentryConfig({});
  await compiler?.runAfterProductionCompile?.({ projectDir: process.cwd(), distDir: dist });
  const upload = uploads.asked.find(
    ({ method, path }) => method === "POST" && path?.endsWith("/chunk-upload/"),
  );
  expect(uploadedArchive(upload?.body)).toContain("a.js.map");
  expect(existsSync(join(dist, "static/chunks/pages/a.js.map"))).toBe(false);
});
