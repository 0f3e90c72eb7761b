import { spawn } from "node:child_process";
import { once } from "node:events";
import { chromium } from "playwright";
import { findBrowser, thisMachine } from "../../scripts/browser.ts";
import { bareApp, styledApp } from "./support/bare-app.js";
import { comparisonApp } from "./support/comparison-apps.js";
import { sentrySetup } from "./support/sentry-setup.js";
import { startNext, startSignpost } from "./support/servers.js";
import { buildSignpost } from "./support/signpost-build.js";
import { median } from "./support/statistics.js";
import { milliseconds, printTable } from "./support/table.js";

const version = "lighthouse@12";
const categories = ["performance", "accessibility", "best-practices", "seo"];
const browserFlags = [
  "--headless=new",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** How often Lighthouse may fail by itself on one page in one round, as with `NO_NAVSTART`. */
const maxTries = 3;

/**
 * The four scores on a phone as Lighthouse emulates it, and the measurements that decide most of the
 * first: medians of interleaved rounds. It is fetched from npm's registry into npm's own cache,
 * being too large to be installed with the project for this alone.
 *
 * @param {string} [rounds]
 */
export async function lighthouse(rounds = "5") {
  await buildSignpost();
  const bare = await startNext(await comparisonApp("bare", bareApp));
  const sentry = await startNext(await comparisonApp("sentry", { ...bareApp, ...sentrySetup }));
  const signpost = await startSignpost();
  const styled = await startNext(
    await comparisonApp("styled", styledApp(await styleSheetsOf(signpost.origin))),
  );
  const sampled = await startSignpost({
    BROWSER_TRACES_SAMPLE_RATE: "1",
    SENTRY_TRACES_SAMPLE_RATE: "1",
  });
  /** @type {Record<string, string>} */
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
  const names = Object.keys(pages);
  /** @type {Record<string, Judgement[]>} */
  const judged = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < Number(rounds); round += 1) {
    for (const name of names) judged[name]?.push(await judge(pages[name] ?? ""));
  }
  console.log(`${version}, mobile: medians of ${rounds} interleaved rounds.\n`);
  printTable(
    ["page", ...categories, "blocking time", "FCP", "LCP", "LCP with real throttling"],
    names.map((name) => {
      const all = judged[name] ?? [];
      const of = (/** @type {(judgement: Judgement) => number} */ value) => median(all.map(value));
      return [
        name,
        ...categories.map((_, i) => String(of(({ scores }) => scores[i] ?? 0))),
        milliseconds(of(({ blockingTime }) => blockingTime)),
        milliseconds(of(({ firstPaint }) => firstPaint)),
        milliseconds(of(({ largestPaint }) => largestPaint)),
        milliseconds(of(({ throttledPaint }) => throttledPaint)),
      ];
    }),
  );
  for (const name of names) {
    const faults = new Set(judged[name]?.flatMap((judgement) => judgement.faults));
    if (faults.size > 0) console.log(`Not perfect: ${name}: ${[...faults].join(", ")}`);
  }
  for (const server of [bare, styled, sentry, signpost, sampled]) await server.stop();
}

/**
 * @typedef {object} Judgement
 * @property {number[]} scores 0 to 100, in the order of the categories
 * @property {number} blockingTime in milliseconds
 * @property {number} firstPaint in milliseconds
 * @property {number} largestPaint in milliseconds. Lighthouse estimates it from all scripts that had
 *   arrived before it, and here that is after 0.1 s: see docs/measurements.md
 * @property {number} throttledPaint the same in milliseconds, measured with a slow network and processor
 * @property {string[]} faults audits with weight that are not passed in full
 */

/**
 * @param {string} url
 * @returns {Promise<Judgement>}
 */
async function judge(url) {
  for (let tries = 1; ; tries += 1) {
    try {
      return await judgeOnce(url);
    } catch (error) {
      if (tries === maxTries) throw error;
    }
  }
}

/**
 * The text of all style sheets of a page.
 *
 * @param {string} url
 */
async function styleSheetsOf(url) {
  const html = await (await fetch(url)).text();
  const links = [...html.matchAll(/<link rel="stylesheet" href="([^"]+)"/g)];
  if (links.length === 0) throw new Error(`${url} has no style sheet.`);
  const texts = links.map(async ([, href = ""]) => {
    const response = await fetch(new URL(href, url));
    if (!response.ok) throw new Error(`${href} answers ${response.status}.`);
    return response.text();
  });
  return (await Promise.all(texts)).join("\n");
}

/**
 * @param {string} url
 * @returns {Promise<Judgement>}
 */
async function judgeOnce(url) {
  const report = await lighthouseReport(url, [`--only-categories=${categories.join(",")}`]);
  const throttled = await lighthouseReport(url, [
    "--throttling-method=devtools",
    "--only-audits=largest-contentful-paint",
  ]);
  /** @type {{ weight: number, id: string }[]} */
  const audits = categories.flatMap((category) => report.categories[category].auditRefs);
  return {
    scores: categories.map((category) => Math.round(report.categories[category].score * 100)),
    blockingTime: report.audits["total-blocking-time"].numericValue,
    firstPaint: report.audits["first-contentful-paint"].numericValue,
    largestPaint: report.audits["largest-contentful-paint"].numericValue,
    throttledPaint: throttled.audits["largest-contentful-paint"].numericValue,
    faults: audits
      .filter(({ weight, id }) => weight > 0 && (report.audits[id].score ?? 1) < 0.9)
      .map(({ id }) => id),
  };
}

/**
 * @param {string} url
 * @param {string[]} options
 */
async function lighthouseReport(url, options) {
  const browser = findBrowser(thisMachine, chromium.executablePath());
  if (!browser) throw new Error("There is no Chromium; CHROMIUM_PATH can name one.");
  const child = spawn(
    "npx",
    [
      "--yes",
      version,
      url,
      "--quiet",
      "--output=json",
      ...options,
      `--chrome-flags=${browserFlags.join(" ")}`,
    ],
    { env: { ...process.env, CHROME_PATH: browser }, stdio: ["ignore", "pipe", "pipe"] },
  );
  const end = () => child.kill();
  process.once("exit", end);
  let said = "";
  let complained = "";
  child.stdout.on("data", (chunk) => {
    said += chunk;
  });
  child.stderr.on("data", (chunk) => {
    complained += chunk;
  });
  const [code] = await once(child, "close");
  process.off("exit", end);
  if (code !== 0) throw new Error(`${version} ended with ${code} for ${url}:\n${complained}`);
  const report = JSON.parse(said);
  if (report.runtimeError) throw new Error(`${url}: ${report.runtimeError.message}`);
  return report;
}
