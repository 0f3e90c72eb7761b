import { readFileSync } from "node:fs";
import { expect, test } from "playwright/test";
import { differencesOf, judge, linesOf } from "../comparison/differences";
import type { Facts } from "../comparison/reports";
import { snippets } from "./calls/app/snippets/all";
import { type Place, places } from "./calls/app/snippets/snippet";
import { buildApp, type Side, sides } from "./calls/apps";
import { knownIn, reasonsIn } from "./calls/differences";
import { inHostileEnvironments } from "./calls/hostile";
import { runIn } from "./calls/run";

/*
 * Each call that Sentry's documentation shows, in an app with Sentry's SDK and in one with the package: it
 * gives back the same, throws the same, and sends the same, but for what is listed beside it.
 *
 *   SNIPPET="captureException of null" npm run calls    runs what has these words in its name
 */

const wanted = process.env.SNIPPET ?? "";
const chosen = snippets.filter(({ name }) => name.includes(wanted));

const titles: Record<Place, string> = {
  before: "in the browser before the SDK",
  after: "in the browser after the SDK has come",
  api: "in an API route",
  data: "in a data function",
  edge: "on the edge",
};

/** Differences that a fast machine lacks: the SDK has come before the snippet is over. */
const inTime = ["sendFeedback: gives*"];

// All in one worker: the builds are made once.
test.describe.configure({ mode: "default" });

for (const place of places) {
  test(`Sentry's calls are the same ${titles[place]}`, { tag: "@verify" }, async () => {
    test.setTimeout(600_000);
    // One after the other, where they are not there: each takes all processors.
    const folders: string[] = [];
    for (const side of sides) folders.push(await buildApp(side));
    const [sentry, signpost] = await Promise.all(
      folders.map((folder) => runIn(place, folder, chosen)),
    );
    const facts = { sentry, signpost } as Record<Side, Map<string, Facts>>;
    const { unknown, gone } = judge(differencesOf(facts), knownIn(place, chosen));
    expect.soft(linesOf(unknown), "differences that are not listed").toEqual([]);
    const absent = gone
      .map(({ report, place: what }) => `${report}: ${what}`)
      .filter((line) => !inTime.includes(line));
    expect.soft(wanted ? [] : absent, "differences that are listed, and not there").toEqual([]);
  });
}

test("where a page is hostile, it comes alive and reports wherever it does with Sentry's SDK", {
  tag: "@verify",
}, async () => {
  test.setTimeout(600_000);
  const folders: string[] = [];
  for (const side of sides) folders.push(await buildApp(side));
  // In Sentry's app, what never comes is waited for in vain.
  const [ofSentry = {}, own = {}] = await Promise.all(folders.map(inHostileEnvironments));
  for (const [name, { alive, reported }] of Object.entries(own)) {
    expect.soft(alive, name).toBe(true);
    // Sentry's SDK can't start where fetch can't be read: the error is kept for a later page.
    expect.soft(reported, name).toBe(name !== "fetch can't be read" || ofSentry[name]?.reported);
  }
});

test("every reason for a difference is in CALLS.md of the package", { tag: "@verify" }, () => {
  const calls = readFileSync("packages/sentry/CALLS.md", "utf8");
  expect(reasonsIn(snippets).filter((reason) => !calls.includes(reason))).toEqual([]);
});
