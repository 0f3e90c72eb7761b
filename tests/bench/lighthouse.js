import { spawn } from "node:child_process";
import { once } from "node:events";
import { chromium } from "playwright";
import { findBrowser, thisMachine } from "../../scripts/browser.js";
import { bareApp } from "./support/bare-app.js";
import { comparisonApp } from "./support/comparison-apps.js";
import { sentrySetup } from "./support/sentry-setup.js";
import { startNext, startSignpost } from "./support/servers.js";
import { buildSignpost } from "./support/signpost-build.js";
import { printTable } from "./support/table.js";

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

/**
 * The four scores on a phone as Lighthouse emulates it. It is fetched from npm's registry into npm's
 * own cache, being too large to be installed with the project for this alone.
 *
 * @param {string} [times] how often each page is judged; the best performance counts, since a busy
 *   machine only ever takes from it
 */
export async function lighthouse(times = "1") {
  await buildSignpost();
  const bare = await startNext(await comparisonApp("bare", bareApp));
  const sentry = await startNext(await comparisonApp("sentry", { ...bareApp, ...sentrySetup }));
  const signpost = await startSignpost({ BROWSER_TRACES_SAMPLE_RATE: "1" });
  const pages = {
    "bare Next": bare.origin,
    "documented Sentry set-up": sentry.origin,
    "Signpost /": signpost.origin,
    "Signpost /server": `${signpost.origin}/server`,
    "Signpost /dynamic/x": `${signpost.origin}/dynamic/x`,
  };
  const rows = [];
  const faults = [];
  for (const [name, url] of Object.entries(pages)) {
    /** @type {Judgement | undefined} */
    let best;
    for (let time = 0; time < Number(times); time += 1) {
      const next = await judge(url);
      if (!best || (next.scores[0] ?? 0) > (best.scores[0] ?? 0)) best = next;
    }
    rows.push([name, ...(best?.scores ?? []).map(String)]);
    if (best?.faults.length) faults.push(`${name}: ${best.faults.join(", ")}`);
  }
  console.log(`${version}, mobile, best of ${times}.\n`);
  printTable(["page", ...categories], rows);
  if (faults.length > 0) console.log(`\nWhat is not perfect:\n${faults.join("\n")}`);
  for (const server of [bare, sentry, signpost]) await server.stop();
}

/**
 * @typedef {object} Judgement
 * @property {number[]} scores 0 to 100, in the order of the categories
 * @property {string[]} faults audits with weight that are not passed in full
 */

/**
 * @param {string} url
 * @returns {Promise<Judgement>}
 */
async function judge(url) {
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
      `--only-categories=${categories.join(",")}`,
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
  /** @type {{ weight: number, id: string }[]} */
  const audits = categories.flatMap((category) => report.categories[category].auditRefs);
  return {
    scores: categories.map((category) => Math.round(report.categories[category].score * 100)),
    faults: audits
      .filter(({ weight, id }) => weight > 0 && (report.audits[id].score ?? 1) < 0.9)
      .map(({ id }) => id),
  };
}
