import type { Browser } from "playwright";
import type { ReceivedEnvelope, Service } from "../support/service.ts";
import { isInteractive } from "./scenario.ts";

export const visits = { all: 50, crashed: 5 };

/** Those of visitors. The server's process is a session of its own in Sentry's set-up. */
export interface Sessions {
  all: number;
  crashed: number;
}

/** Makes the visits, one after another, each in a browser context of its own. */
export async function makeVisits(browser: Browser, origin: string): Promise<void> {
  for (let index = 0; index < visits.all; index += 1) {
    const crashes = index % (visits.all / visits.crashed) === 0;
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${origin}${crashes ? "/compared/client/click" : `/compared/server/${index}`}`);
    await page.waitForFunction(isInteractive);
    if (crashes) await page.locator("#act").click();
    await page.goto("about:blank");
  }
}

/** Longer than the minute for which servers count before they tell. */
const patience = 90_000;

/** The sessions of all visits, or those that have arrived after a while. */
export async function sessionsAt(service: Service): Promise<Sessions> {
  const complete = () => {
    const { all, crashed } = sessionsIn(service.envelopes);
    return all >= visits.all && crashed >= visits.crashed;
  };
  await service.waitFor(complete, patience).catch(() => {});
  return sessionsIn(service.envelopes);
}

/**
 * Sessions of browsers by their ids, the last state of each, as Sentry's SDK sends them; where there are
 * none, those that the server has counted.
 * https://develop.sentry.dev/sdk/telemetry/sessions/
 */
export function sessionsIn(
  envelopes: Pick<ReceivedEnvelope, "items" | "requestHeaders">[],
): Sessions {
  const states = new Map<string, string>();
  for (const { items, requestHeaders } of envelopes) {
    // Browsers name the page's origin, servers none.
    if (!requestHeaders.origin) continue;
    for (const { payload } of items.filter(({ header }) => header.type === "session")) {
      const { sid, status } = payload as { sid: string; status: string };
      states.set(sid, status);
    }
  }
  if (states.size > 0) {
    const crashed = [...states.values()].filter((state) => /crashed|unhandled/.test(state));
    return { all: states.size, crashed: crashed.length };
  }
  return counted(envelopes);
}

interface Aggregate {
  exited?: number;
  errored?: number;
  abnormal?: number;
  unhandled?: number;
  crashed?: number;
}

function counted(envelopes: Pick<ReceivedEnvelope, "items">[]): Sessions {
  const aggregates = envelopes
    .flatMap(({ items }) => items.filter(({ header }) => header.type === "sessions"))
    .flatMap(({ payload }) => (payload as { aggregates: Aggregate[] }).aggregates);
  const sum = (...states: (keyof Aggregate)[]) =>
    aggregates.reduce(
      (total, one) => total + states.reduce((part, state) => part + (one[state] ?? 0), 0),
      0,
    );
  return {
    all: sum("exited", "errored", "abnormal", "unhandled", "crashed"),
    crashed: sum("unhandled", "crashed"),
  };
}
