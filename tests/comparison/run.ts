/*
 * Builds Sentry's documented set-up and Signpost with the same pages, has visitors do the same in both,
 * and compares all that arrives at the service:
 *
 *   npm run comparison
 *
 * Fails where a difference is not in the table of packages/sentry/CALLS.md, and where one of these no longer occurs.
 */
import { readFileSync } from "node:fs";
import { type Browser, chromium } from "playwright";
import { check, checkThat, summary } from "../services/checks.ts";
import { findBrowser } from "../support/browser.ts";
import { type Service, startService } from "../support/service.ts";
import { apps, type Side, serviceHost, sides } from "./apps.ts";
import { differencesOf, judge, knownDifferencesIn, linesOf } from "./differences.ts";
import { type Answers, questions } from "./questions.ts";
import { type Facts, factsByIdentity, reportsIn } from "./reports.ts";
import { drive } from "./scenario.ts";
import { makeVisits, sessionsAt, visits } from "./visits.ts";

const maxMinutes = 15;

const executablePath = findBrowser();
if (!executablePath) {
  console.log("Skipped: there is no Chromium. Install it with npx playwright install chromium.");
  process.exit(0);
}
setTimeout(() => {
  console.error(`Not done after ${maxMinutes} minutes.`);
  process.exit(1);
}, maxMinutes * 60_000).unref();
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(130));

const facts = {} as Record<Side, Map<string, Facts>>;
const answers = {} as Record<Side, Answers>;
for (const side of sides) {
  const folder = await apps[side].build();
  const { result: shown, service } = await serving(side, folder, drive);
  const { result: sessions } = await serving(side, folder, async (browser, origin, service) => {
    await makeVisits(browser, origin);
    return sessionsAt(service);
  });
  facts[side] = factsByIdentity(service.envelopes);
  answers[side] = { reports: reportsIn(service.envelopes), shown, sessions };
  check(`${side}: everything arrives that is waited for`, shown.missing);
}

const differences = differencesOf(facts);
const known = knownDifferencesIn(readFileSync("packages/sentry/CALLS.md", "utf8"));
const { unknown, gone } = judge(differences, known);
console.log(`\n${linesOf(differences).length} differences (Sentry's set-up / Signpost)`);
for (const line of linesOf(unknown)) console.log(`  ${line}`);
check("every difference is known", linesOf(unknown));
check(
  "every known difference occurs",
  gone.map(({ report, place }) => `${place} (${report})`),
);

console.log("\nWhat Sentry's own tests ask (Sentry's set-up, Signpost)");
const yes = (is: boolean) => (is ? "yes" : "no ");
for (const [source, asks, holds] of questions) {
  const [sentry, signpost] = [holds(answers.sentry), holds(answers.signpost)];
  console.log(`  ${yes(sentry)} ${yes(signpost)}  ${asks} (${source})`);
}
check(
  "Signpost answers all of them",
  questions.filter(([, , holds]) => !holds(answers.signpost)).map(([, asks]) => asks),
);

console.log(
  `\nSessions of ${visits.all} visits, ${visits.crashed} of them with an unhandled error`,
);
for (const side of sides) {
  const { all, crashed } = answers[side].sessions;
  console.log(`  ${side}: ${all}, ${crashed} crashed`);
}
const { all, crashed } = answers.signpost.sessions;
checkThat("Signpost counts each visit once", all === visits.all, `${all}`);
checkThat("Signpost counts each crashed one", crashed === visits.crashed, `${crashed}`);
process.exit(summary());

/** Serves an app while something is done with it, and gives the service that has its reports. */
async function serving<T>(
  side: Side,
  folder: string,
  use: (browser: Browser, origin: string, service: Service) => Promise<T>,
): Promise<{ result: T; service: Service }> {
  const service = await startService();
  // Sentry's SDK posts to it from the pages of another origin.
  await service.behave(() => ({ status: 200, headers: { "Access-Control-Allow-Origin": "*" } }));
  const host = new URL(service.url).host;
  const browser = await chromium.launch({
    executablePath,
    args: [`--host-resolver-rules=MAP ${serviceHost} ${host}`],
  });
  const app = await apps[side].start(folder, service.dsn);
  try {
    const result = await use(browser, app.origin, service);
    // What it has not sent yet, it sends now.
    await app.stop();
    return { result, service };
  } finally {
    await app.stop();
    await browser.close();
    await service.close();
  }
}
