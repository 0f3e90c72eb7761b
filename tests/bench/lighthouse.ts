import { runProgram } from "../services/processes.ts";
import { findBrowser } from "../support/browser.ts";
import { bareApp, comparisonApp, styledApp } from "./support/comparison-apps.ts";
import { sentrySetup } from "./support/sentry-setup.ts";
import { buildSignpost, startNext, startSignpost } from "./support/servers.ts";
import { median } from "./support/statistics.ts";
import { milliseconds, printTable } from "./support/table.ts";

const version = "lighthouse@12";
const categories = ["performance", "accessibility", "best-practices", "seo"];
const browserFlags = [
  ...["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
  ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
];

/** How often Lighthouse may fail by itself on one page in one round, as with `NO_NAVSTART`. */
const maxTries = 3;

interface Judgement {
  /** 0 to 100, in the order of the categories. */
  scores: number[];
  /**
   * Milliseconds: blocking time, first and largest paint, and that again, measured with a slow network
   * and processor. Before that Lighthouse estimates it as if every script that ran had been needed.
   */
  times: number[];
  /** Audits with weight that are not passed in full. */
  faults: string[];
}

/**
 * The four scores on a phone as Lighthouse emulates it, and the measurements that decide most of the
 * first: medians of interleaved rounds. It is fetched from npm's registry into npm's own cache,
 * being too large to be installed with the project for this alone.
 */
export async function lighthouse(rounds = "5"): Promise<void> {
  await buildSignpost();
  const sampledRates = { BROWSER_TRACES_SAMPLE_RATE: "1", SENTRY_TRACES_SAMPLE_RATE: "1" };
  const bare = await startNext(await comparisonApp("bare", bareApp));
  const sentry = await startNext(await comparisonApp("sentry", { ...bareApp, ...sentrySetup }));
  const signpost = await startSignpost();
  const css = await styleSheetsOf(signpost.origin);
  const styled = await startNext(await comparisonApp("styled", styledApp(css)));
  const sampled = await startSignpost(sampledRates);
  const pages = {
    "bare Next": bare.origin,
    "bare Next with Signpost's style sheets": styled.origin,
    "documented Sentry set-up": sentry.origin,
    "Signpost /": signpost.origin,
    "Signpost /server": `${signpost.origin}/server`,
    "Signpost /dynamic/x": `${signpost.origin}/dynamic/x`,
    "Signpost /, every visit sampled": sampled.origin,
    "Signpost /server, every visit sampled": `${sampled.origin}/server`,
  };
  const judged = new Map<string, Judgement[]>();
  for (let round = 0; round < Number(rounds); round += 1) {
    for (const [name, url] of Object.entries(pages)) {
      judged.set(name, [...(judged.get(name) ?? []), judge(url)]);
    }
  }
  console.log(`${version}, mobile: medians of ${rounds} interleaved rounds.\n`);
  printTable(
    ["page", ...categories, "blocking time", "FCP", "LCP", "LCP with real throttling"],
    [...judged].map(([name, all]) => [
      name,
      ...categories.map((_, i) => String(median(all.map(({ scores }) => scores[i] ?? 0)))),
      ...[0, 1, 2, 3].map((i) => milliseconds(median(all.map(({ times }) => times[i] ?? 0)))),
    ]),
  );
  for (const [name, all] of judged) {
    const faults = new Set(all.flatMap((judgement) => judgement.faults));
    if (faults.size > 0) console.log(`Not perfect: ${name}: ${[...faults].join(", ")}`);
  }
  for (const server of [bare, styled, sentry, signpost, sampled]) await server.stop();
}

/** The text of all style sheets of a page. */
async function styleSheetsOf(url: string): Promise<string> {
  const html = await (await fetch(url)).text();
  const links = [...html.matchAll(/<link rel="stylesheet" href="([^"]+)"/g)];
  if (links.length === 0) throw new Error(`${url} has no style sheet.`);
  const texts = links.map(async ([, href = ""]) => (await fetch(new URL(href, url))).text());
  return (await Promise.all(texts)).join("\n");
}

function judge(url: string): Judgement {
  const report = lighthouseReport(url, [`--only-categories=${categories.join(",")}`]);
  const throttled = lighthouseReport(url, [
    "--throttling-method=devtools",
    "--only-audits=largest-contentful-paint",
  ]);
  const judgements = categories.map((name) => report.categories[name]);
  const [blocking, first, largest] = [
    report.audits["total-blocking-time"],
    report.audits["first-contentful-paint"],
    report.audits["largest-contentful-paint"],
  ];
  const audits = [blocking, first, largest, throttled.audits["largest-contentful-paint"]];
  return {
    scores: judgements.map((category) => Math.round((category?.score ?? 0) * 100)),
    times: audits.map((audit) => audit?.numericValue ?? Number.NaN),
    faults: judgements
      .flatMap((category) => category?.auditRefs ?? [])
      .filter(({ weight, id }) => weight > 0 && (report.audits[id]?.score ?? 1) < 0.9)
      .map(({ id }) => id),
  };
}

interface Report {
  categories: Record<string, { score: number; auditRefs: { weight: number; id: string }[] }>;
  audits: Record<string, { score: number | null; numericValue: number }>;
  runtimeError?: { message: string };
}

function lighthouseReport(url: string, options: string[], tries = 1): Report {
  const browser = findBrowser();
  if (!browser) throw new Error("There is no Chromium; CHROMIUM_PATH can name one.");
  const flags = `--chrome-flags=${browserFlags.join(" ")}`;
  const args = ["--yes", version, url, "--quiet", "--output=json", ...options, flags];
  try {
    const report: Report = JSON.parse(runProgram("npx", args, { env: { CHROME_PATH: browser } }));
    if (report.runtimeError) throw new Error(`${url}: ${report.runtimeError.message}`);
    return report;
  } catch (error) {
    if (tries === maxTries) throw error;
    return lighthouseReport(url, options, tries + 1);
  }
}
