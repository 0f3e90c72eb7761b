import { type BrowserContext, chromium, type Page } from "playwright";
import type { Facts } from "../../comparison/reports.ts";
import type { Report } from "../../services/envelopes.ts";
import { findBrowser } from "../../support/browser.ts";
import { type Service, startService } from "../../support/service.ts";
import type { Answer } from "./app/answer.ts";
import { snippets } from "./app/snippets/all.ts";
import { type Place, places, type Snippet } from "./app/snippets/snippet.ts";
import { type RunningApp, serveApp, serviceHost } from "./apps.ts";
import { factsOf, type Sent, sentIn, tell } from "./facts.ts";

const sourceOf = (wanted: string) => String(snippets.find(({ name }) => name === wanted)?.run);

/** Snippets on one page: before the SDK is there, a page keeps so many errors. */
const maxOnPage = 40;
/** Pages that are open at the same time. */
const maxPages = 4;

/** In milliseconds: longer than any of the SDK's own pauses before it sends, however busy the machine is. */
const patience = 60_000;
/** In milliseconds: what is not there by then waits for the SDK, which these pages keep waiting. */
const shortPatience = 500;

const isIn = (place: Place) => (snippet: Snippet) => (snippet.in ?? places).includes(place);

/**
 * Runs all snippets of a place in one app.
 *
 * @returns what came of each, by its name
 */
export async function runIn(
  place: Place,
  folder: string,
  chosen: Snippet[],
): Promise<Map<string, Facts>> {
  const service = await startService();
  // Sentry's SDK posts to it from the pages of another origin.
  await service.behave(() => ({ status: 200, headers: { "Access-Control-Allow-Origin": "*" } }));
  const app = await serveApp(folder, service.dsn);
  try {
    const mine = chosen.filter(isIn(place));
    const isBrowser = place === "before" || place === "after";
    const runs = await (isBrowser ? runInBrowser : runOnServer)(place, mine, app, service);
    // What it has not sent yet, it sends now.
    await app.stop();
    return factsByName(runs, sentIn(service.envelopes, place === "before"));
  } finally {
    await app.stop();
    await service.close();
  }
}

/** What ran one after another, with nothing beside it. */
interface Run {
  answers: Answer[];
  page?: string;
}

const paths: Record<string, string> = { api: "/api/node", data: "/data", edge: "/api/edge" };

async function runOnServer(
  place: Place,
  mine: Snippet[],
  app: RunningApp,
  service: Service,
): Promise<Run[]> {
  const answers: Answer[] = [];
  for (const { name } of mine) {
    // The request begins before the snippet does.
    const at = Date.now();
    const url = `${app.origin}${paths[place]}?snippet=${encodeURIComponent(name)}`;
    const text = await (await fetch(url)).text();
    answers.push({ ...answerIn(text), at });
  }
  // The last requests are transactions too, but for the one that closes the client.
  const isRequest = ({ contexts }: Report) => contexts?.trace?.op === "http.server";
  const count = mine.filter(({ name }) => name !== "close").length;
  if (!(await arrive(service, isRequest, count, patience)))
    throw new Error("Not all requests have arrived.");
  return [{ answers }];
}

function answerIn(text: string): Answer {
  const [, json = text] = /<script id="__NEXT_DATA__"[^>]*>(.*?)<\/script>/s.exec(text) ?? [];
  try {
    const answer = JSON.parse(json);
    return answer.props?.pageProps.answer ?? answer;
  } catch (cause) {
    throw new Error(`No answer of a snippet: ${text.slice(0, 2000)}`, { cause });
  }
}

async function runInBrowser(
  place: Place,
  mine: Snippet[],
  app: RunningApp,
  service: Service,
): Promise<Run[]> {
  const browser = await chromium.launch({
    executablePath: findBrowser(),
    args: [`--host-resolver-rules=MAP ${serviceHost} ${new URL(service.url).host}`],
  });
  try {
    // One, so that scripts are in its cache.
    const context = await browser.newContext();
    const pages = onPages(mine.map((one) => [one.name, one.alone ?? false]));
    const runs: Run[] = [];
    const next = async (): Promise<void> => {
      const names = pages.shift();
      if (!names) return;
      const page = `/browser/${runs.length}`;
      const run: Run = { answers: [], page };
      runs.push(run);
      run.answers = await runOnPage(place, names, context, app.origin, page, service);
      await next();
    };
    await Promise.all(Array.from({ length: maxPages }, next));
    return runs;
  } finally {
    await browser.close();
  }
}

function onPages(mine: [name: string, alone: boolean][]): string[][] {
  const pages: string[][] = [];
  const together = mine.filter(([, alone]) => !alone).map(([name]) => name);
  for (let at = 0; at < together.length; at += maxOnPage) {
    pages.push(together.slice(at, at + maxOnPage));
  }
  return [...pages, ...mine.filter(([, alone]) => alone).map(([name]) => [name])];
}

async function runOnPage(
  place: Place,
  names: string[],
  context: BrowserContext,
  origin: string,
  path: string,
  service: Service,
): Promise<Answer[]> {
  const page = await context.newPage();
  const isEarly = place === "before";
  const isAlone = names.length === 1;
  const hold = await holdLateScripts(page, isEarly);
  await page.goto(origin + path);
  await page.getByText("Ready").waitFor();
  if (!isEarly) await endPageLoad(page, path, service);
  await page.evaluate(([list, most]) => void globalThis.runSnippets(list, most), [
    names,
    isEarly && !isAlone ? shortPatience : undefined,
  ] as const);
  // A snippet that is alone may wait for the SDK, after what it has done before.
  if (isAlone) hold.end();
  const answers = await page.evaluate(() => globalThis.answers);
  hold.end();
  const isReporting = await page.evaluate(() => globalThis.isReporting());
  if (isEarly && isReporting) await endPageLoad(page, path, service);
  // What a page sends as it is left hangs on how busy the machine is, with Sentry's own SDK, too.
  await page.evaluate(() => globalThis.untilSent());
  await page.close();
  return answers;
}

/** Keeps a page from loading any further script after its own, such as the SDK that comes late. */
async function holdLateScripts(page: Page, isWanted: boolean): Promise<{ end: () => void }> {
  let end = () => {};
  const held = new Promise<void>((resolve) => {
    end = resolve;
  });
  if (isWanted) {
    let isLoaded = false;
    page.on("load", () => {
      isLoaded = true;
    });
    await page.route(/\/_next\/static\/.*\.js/, async (route) => {
      if (isLoaded) await held;
      await route.continue();
    });
  }
  return { end };
}

/**
 * Ends the page load, and waits until it has arrived: before, whether a span is part of it would hang on how long
 * it takes. Before the SDK is there, it can't be ended.
 */
async function endPageLoad(page: Page, path: string, service: Service): Promise<void> {
  const isOfPage = ({ contexts, tags }: Report) =>
    contexts?.trace?.op === "pageload" && tags?.page === path;
  const until = Date.now() + patience;
  while (!(await arrive(service, isOfPage, 1, 250))) {
    if (Date.now() > until) throw new Error(`The load of ${path} has not arrived.`);
    await page.evaluate(() => globalThis.endPageLoad());
  }
}

/** Whether so many transactions of visits or requests arrive in that time. */
function arrive(
  service: Service,
  isVisit: (report: Report) => boolean,
  count: number,
  milliseconds: number,
): Promise<boolean> {
  const have = () => service.payloads<Report>("transaction").filter(isVisit).length >= count;
  return service.waitFor(have, milliseconds).catch(() => false);
}

/** What belongs to each snippet, of what has arrived. */
function factsByName(runs: Run[], sent: Sent[]): Map<string, Facts> {
  const all = new Map<string, Facts>();
  for (const { answers, page } of runs) {
    const ofRun = sent.filter((one) => one.page === page);
    for (const { name, gives, throws } of answers) {
      const own = ofRun.filter((one) => nameOf(one, answers) === name);
      const isAlone = page === undefined || answers.length === 1;
      const facts: Facts = new Map();
      if (throws !== undefined) tell(throws, "throws", (place, value) => facts.set(place, value));
      tell(gives, "gives", (place, value) => facts.set(place, value));
      for (const [place, value] of factsOf(own.filter((one) => isAlone || !one.isOfVisit))) {
        facts.set(place, value);
      }
      all.set(name, facts);
    }
  }
  return all;
}

/** In milliseconds: a page's clocks are not of one mind. Its snippets are further apart. */
const tolerance = 4;

/** By what it says, by the name of a monitor, or else by its time. */
function nameOf({ snippet, says, page, at }: Sent, answers: Answer[]): string | undefined {
  if (typeof snippet === "string") return snippet;
  if (typeof says.monitor_slug === "string") {
    const slug = says.monitor_slug;
    return answers.find(({ name }) => sourceOf(name).includes(`"${slug}"`))?.name;
  }
  const latest = page === undefined ? at : at + tolerance;
  return answers.findLast((answer) => answer.at <= latest)?.name;
}
