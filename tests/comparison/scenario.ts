import type { Browser, Page } from "playwright";
import type { ReceivedEnvelope, Service } from "../support/service.ts";
import { identityOf, reportsIn } from "./reports.ts";

/** One thing that a visitor does, in a browser context of its own. */
interface Step {
  /** The page that is opened. */
  path: string;
  /** What is done there. */
  act?: (page: Page) => Promise<unknown>;
  /** What has to have arrived before the visitor leaves, by identity. */
  arrives: string[];
}

const pageload = (path: string) => `pageload ${path}`;
const act = (page: Page) => page.locator("#act").click();

/** A click on the page of one act, and what comes of it. */
const acting = (what: string, ...arrives: string[]): Step => ({
  path: `/compared/client/${what}`,
  act,
  arrives: [pageload(`/compared/client/${what}`), ...arrives],
});

const opening = (path: string, ...arrives: string[]): Step => ({
  path,
  arrives: [pageload(path), ...arrives],
});

const steps: Step[] = [
  opening("/compared/static"),
  opening("/compared/server/one", "http.server /compared/server/[id]"),
  opening("/compared/initial/one", "http.server /compared/initial/[id]"),
  opening("/compared/prefetching"),
  opening("/compared/missing"),
  opening("/compared/failing/data/one", "error A data function fails"),
  opening("/compared/failing/render/one", "error A page fails on the server"),
  opening("/compared/failing/effect", "error An effect fails"),
  {
    path: "/compared/fetching",
    act: async (page) => {
      await page.locator("output", { hasText: "1" }).waitFor();
      await page.locator("button").click();
      await page.locator("output", { hasText: "2" }).waitFor();
    },
    arrives: [pageload("/compared/fetching"), "http.server /api/compared/[id]/answering"],
  },
  {
    path: "/compared/static",
    act: (page) => page.locator("#to-server").click(),
    arrives: [pageload("/compared/static"), "navigation /compared/server/navigated"],
  },
  acting("click", "error A click fails"),
  acting("promise", "error A promise is rejected"),
  acting("timer", "error A timer fails"),
  acting("boundary", "error A boundary catches this"),
  acting("render", "error A render fails in the browser"),
  acting("capture", "error A capture in the browser", "message A message of the browser"),
];

/** Requests of no browser, each with what comes of it. */
const requests: [path: string, ...arrives: string[]][] = [
  ["/api/compared/one/answering", "http.server /api/compared/[id]/answering"],
  [
    "/api/compared/one/failing",
    "http.server /api/compared/[id]/failing",
    "error An API route fails",
  ],
  [
    "/api/compared/one/capturing",
    "http.server /api/compared/[id]/capturing",
    "error A capture on the server",
    "message A message of the server",
  ],
];

/** What the visitor was shown. */
export interface Shown {
  /** The references on error pages, by path. */
  references: Record<string, string>;
  /** What did not arrive in time, by identity. The comparison tells it as well. */
  missing: string[];
}

/** Longer than any of the SDK's own pauses before it sends. */
const patience = 20_000;

/** Has an app do everything once, one thing after the other. */
export async function drive(browser: Browser, origin: string, service: Service): Promise<Shown> {
  const shown: Shown = { references: {}, missing: [] };
  for (const { path, act, arrives } of steps) {
    const since = service.envelopes.length;
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${origin}${path}`);
    await page.waitForFunction(isInteractive);
    if (act) await act(page);
    await arrived(service, since, arrives, shown);
    const reference = page.locator('[data-fact="reference"]');
    if (await reference.count()) shown.references[path] = (await reference.textContent()) ?? "";
    // As a visitor goes elsewhere, so that the page sends what it still has. The tab stays open:
    // Playwright would end what is on its way with it.
    await page.goto("about:blank");
  }
  for (const [path, ...arrives] of requests) {
    const since = service.envelopes.length;
    await (await fetch(`${origin}${path}`)).arrayBuffer();
    await arrived(service, since, arrives, shown);
  }
  return shown;
}

/** Whether Next's router is there: a click before is lost. */
export function isInteractive(): boolean {
  const { next } = window as { next?: { router?: { isReady: boolean } } };
  return next?.router?.isReady === true;
}

async function arrived(
  service: Service,
  since: number,
  identities: string[],
  shown: Shown,
): Promise<void> {
  const missing = () => {
    const there = service.envelopes.slice(since).flatMap(identitiesIn);
    return identities.filter((identity) => !there.includes(identity));
  };
  await service
    .waitFor(() => missing().length === 0, patience)
    .catch(() => {
      shown.missing.push(...missing());
    });
}

function identitiesIn(envelope: ReceivedEnvelope): string[] {
  return reportsIn([envelope]).map(identityOf);
}
