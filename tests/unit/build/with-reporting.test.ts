import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PHASE_PRODUCTION_BUILD, PHASE_PRODUCTION_SERVER } from "next/constants.js";
import { expect, onTestFinished, test, vi } from "vitest";
import { withReporting } from "@/lib/build/with-reporting";

/** The folder of an app that has the reporting alone, with these files. */
function appWith(files: Record<string, string>, root = "."): string {
  vi.stubEnv("SOURCE_MAPS", "off");
  const folder = mkdtempSync(join(tmpdir(), "signpost-reporting-"));
  const all = {
    "instrumentation.ts": "startReportingAlone(true); reportRequestError(error);",
    "instrumentation-client.ts": "watchErrors();",
    ...files,
  };
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, root, path)), { recursive: true });
    writeFileSync(join(folder, root, path), text);
  }
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });
  return folder;
}

const pages = {
  "pages/_app.tsx": "",
  "pages/404.tsx": "",
  "pages/api/orders.ts": "",
  "pages/index.tsx": "",
  "pages/blog/[slug].jsx": "",
  "pages/docs/index.tsx": "",
};

test.each([".", "src"])(
  "an app's own settings stay, and its pages are found in %s",
  async (root) => {
    const folder = appWith(pages, root);
    const own = {
      basePath: "/shop",
      env: { OWN: "1" },
      turbopack: { resolveAlias: { own: "./own.ts" } },
      transpilePackages: ["own"],
    };
    const config = await withReporting(own, folder)(PHASE_PRODUCTION_BUILD);
    const { NEXT_PUBLIC_PAGES, ...env } = config.env ?? {};
    expect(NEXT_PUBLIC_PAGES?.split(" ").sort()).toEqual(["/", "/blog/[slug]", "/docs"]);
    expect(env).toMatchObject({
      OWN: "1",
      NEXT_PUBLIC_BASE_PATH: "/shop",
      NEXT_PUBLIC_TUNNEL: "relay",
    });
    const browser = `./${root === "." ? "" : "src/"}lib/sentry/browser.ts`;
    expect(config.turbopack?.resolveAlias).toMatchObject({
      own: "./own.ts",
      "@sentry/nextjs": { browser },
    });
    expect(config.transpilePackages).toEqual(["own", "zod"]);
  },
);

test("pages are those with the extensions that the app has chosen", async () => {
  const folder = appWith({ "pages/a.page.tsx": "", "pages/a.test.tsx": "" });
  const own = (phase: string) => ({ distDir: phase, pageExtensions: ["page.tsx"] });
  const config = await withReporting(own, folder)("a phase");
  expect(config.distDir).toBe("a phase");
  expect(config.env?.NEXT_PUBLIC_PAGES).toBe("/a");
});

test("the default locale comes first, and an app without i18n has none", async () => {
  const folder = appWith(pages);
  const i18n = { locales: ["de", "en", "fr"], defaultLocale: "en" };
  const localesOf = async (own: object) =>
    (await withReporting(own, folder)("a phase")).env?.NEXT_PUBLIC_LOCALES;
  expect(await localesOf({ i18n })).toBe("en de fr");
  expect(await localesOf({})).toBe("");
});

test.each([
  [{ distDir: "build" }, 'distDir is "build"'],
  [{ output: "export" } as const, 'output is "export"'],
])("a build of %j, whose reports would be lost, fails", async (own, sentence) => {
  const config = withReporting(own, appWith(pages));
  await expect(config(PHASE_PRODUCTION_BUILD)).rejects.toThrow(sentence);
});

test("a build by webpack fails", async () => {
  const config = await withReporting({ webpack: (own) => own }, appWith(pages))("a phase");
  expect(config.webpack).toThrow("Build without --webpack");
});

test("what is left of Sentry's set-up beside src/ fails the build, too", async () => {
  const folder = appWith(pages, "src");
  writeFileSync(join(folder, "next.config.ts"), "export default withSentryConfig(own);");
  await expect(withReporting({}, folder)(PHASE_PRODUCTION_BUILD)).rejects.toThrow(
    "next.config.ts uses withSentryConfig",
  );
});

test("a build of what reports nothing fails; serving does not look", async () => {
  const folder = appWith({ ...pages, "instrumentation.ts": "", "pages/a.tsx": "Sentry.init();" });
  const config = withReporting({}, folder);
  await expect(config(PHASE_PRODUCTION_BUILD)).rejects.toThrow(
    /pages\/a\.tsx calls Sentry\.init[\s\S]*instrumentation\.ts does not call startReportingAlone/,
  );
  expect((await config(PHASE_PRODUCTION_SERVER)).env).toMatchObject({
    NEXT_PUBLIC_TUNNEL: "relay",
  });
});
