import { gzipSync } from "node:zlib";
import { sourceHash } from "../support/build-stamp.ts";
import { bareApp, comparisonApp, config } from "./support/comparison-apps.ts";
import { plainApp } from "./support/plain-app.ts";
import { sentrySetup } from "./support/sentry-setup.ts";
import { buildSignpost, startNext, startSignpost } from "./support/servers.ts";
import { kilobytes, printTable, ratio } from "./support/table.ts";

/** Small ones and the heaviest of the visitors' pages. `npm run build` lists the scripts of all. */
const paths = ["/", "/server", "/dynamic/a-1", "/feedback", "/failures", "/no-such-page"];

/** The package in an app of somebody else's, which calls `init` and nothing more. */
const initAlone = () => ({
  ...bareApp,
  // So that another package makes another build.
  "package-hash.txt": sourceHash("packages", {}),
  ...config({
    imports: 'import { withSentryConfig } from "@signpost/sentry/config";',
    wrap: (text) => `withSentryConfig(${text})`,
  }),
  "instrumentation-client.js": `import * as Sentry from "@signpost/sentry";

Sentry.init();

export const onRouterTransitionStart = Sentry.captureRouterTransitionStart;
`,
});

/** First-load JavaScript and HTML of Signpost's pages, beside what others need for one. */
export async function bytes(): Promise<void> {
  await buildSignpost();
  const sentryApp = await comparisonApp("sentry", { ...bareApp, ...sentrySetup });
  const servers = {
    "bare Next, one page": await startNext(await comparisonApp("bare", bareApp)),
    "the same routes as plain Next pages": await startNext(await comparisonApp("plain", plainApp)),
    "bare Next + documented Sentry set-up": await startNext(sentryApp),
    "bare Next + @signpost/sentry, init alone": await startNext(
      await comparisonApp("init-alone", initAlone()),
    ),
    Signpost: await startSignpost(),
  };
  let bare: number | undefined;
  const rows: string[][] = [];
  for (const [name, { origin, stop }] of Object.entries(servers)) {
    for (const path of name === "Signpost" ? paths : ["/"]) {
      const { script, html } = await firstLoad(origin, path);
      bare ??= script;
      rows.push([
        name === "Signpost" ? path : name,
        kilobytes(script),
        kilobytes(script - bare),
        ratio(script / bare),
        kilobytes(html.length),
        kilobytes(gzipSync(html).length),
      ]);
    }
    await stop();
  }
  printTable(["page", "first-load JS, gzip", "over bare", "ratio", "HTML", "HTML, gzip"], rows);
}

/** A page's HTML, and the bytes of all scripts that a modern browser loads with it, each gzipped. */
async function firstLoad(origin: string, path: string) {
  const html = await (await fetch(origin + path)).text();
  const sources = [...html.matchAll(/<script\b[^>]*>/g)]
    .filter(([tag]) => !/\snomodule/i.test(tag))
    .flatMap(([tag]) => /\ssrc="([^"]+)"/.exec(tag)?.[1] ?? []);
  const weights = [...new Set(sources)].map(async (src) => {
    const response = await fetch(new URL(src, origin), {
      headers: { "Accept-Encoding": "identity" },
    });
    if (!response.ok) throw new Error(`${src} answers ${response.status}.`);
    return gzipSync(Buffer.from(await response.arrayBuffer())).length;
  });
  if (weights.length === 0) throw new Error(`${path} has no scripts.`);
  const script = (await Promise.all(weights)).reduce((sum, weight) => sum + weight, 0);
  return { script, html: Buffer.from(html) };
}
