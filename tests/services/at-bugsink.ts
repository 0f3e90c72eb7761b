import type { Browser } from "playwright";
import type { Service } from "../support/service.ts";
import { type App, startApp } from "./app.ts";
import { leave, newContext, open } from "./browser.ts";
import { type Bugsink, type BugsinkEvent, startBugsink } from "./bugsink.ts";
import { check, checkThat } from "./checks.ts";
import { pathOf, reportsOf, sendOn } from "./envelopes.ts";
import { clicked, saysWhat } from "./expected.ts";
import { until } from "./processes.ts";
import { modes, pageOf } from "./scenario.ts";

/** What Bugsink makes of everything, and how the app fares with it as its service. */
export async function checkAtBugsink(
  service: Service,
  browser: Browser,
  folder: string,
): Promise<void> {
  const bugsink = await startBugsink();
  try {
    const statuses = await sendOn(service.envelopes, bugsink.dsns[0]);
    check("Bugsink takes every envelope", statuses.filter((status) => status !== 200).map(String));
    await bugsink.settled();
    checkEvents(service, bugsink.events(1));
    await checkAsService(bugsink, browser, folder);
  } finally {
    await bugsink.stop();
  }
}

function checkEvents(service: Service, stored: BugsinkEvent[]): void {
  const sent = reportsOf(service, "event");
  const ids = stored.map(({ eventId }) => eventId);
  const missing = sent.filter(({ event_id }) => !ids.includes(event_id));
  check(
    "Bugsink has every event",
    missing.map(({ event_id }) => event_id),
  );
  checkThat("Bugsink has each event once", new Set(ids).size === ids.length);
  const at = (path: string) => {
    const there = sent.filter((event) => pathOf(event) === path).map(({ event_id }) => event_id);
    return stored.filter(({ eventId }) => there.includes(eventId));
  };
  for (const [thing, words] of Object.entries(saysWhat)) {
    const events = modes.flatMap((mode) => at(pageOf(mode, thing)));
    const titles = [...new Set(events.map(({ title }) => title))];
    const silent = titles.filter((title) => !words.test(title));
    check(`Bugsink's title says what it is: ${thing}`, silent);
    const issues = new Set(events.map(({ issue }) => issue)).size;
    checkThat(
      `one issue at Bugsink, with the SDK and without: ${thing}`,
      issues === 1,
      titles.join(" / "),
    );
  }
  for (const what of ["text", "object", "null"]) {
    const words = saysWhat[what]?.source.replace("thrown", "thrown on the server") ?? "";
    const titles = at(`/services/thrown/${what}`).map(({ title }) => title);
    check(
      `Bugsink's title says what the server threw: ${what}`,
      titles.filter((title) => !new RegExp(words).test(title)),
    );
  }
  const atClick = stored.filter(({ eventId }) => {
    const event = sent.find(({ event_id }) => event_id === eventId);
    return event && clicked.test(pathOf(event) ?? "");
  });
  const issues = [...new Set(atClick.map(({ issue }) => issue))];
  const seen = atClick.map(({ title, transaction }) => `${title} (${transaction})`);
  check("one click on a link to a failing page is one issue", issues.length === 1 ? [] : seen);
  const generic = atClick.filter(({ title }) => /static props/.test(title) && !/5\d\d/.test(title));
  check(
    "a failed navigation's title has status and route",
    generic.map(({ title }) => title),
  );
}

/** The app with Bugsink as its service: Bugsink takes no measurements, and feedback only as an event. */
async function checkAsService(bugsink: Bugsink, browser: Browser, folder: string): Promise<void> {
  const app = await startApp(folder, bugsink.dsns[1], { FEEDBACK_AS_EVENT: "on" });
  try {
    await checkDelivery(bugsink, app, browser);
    await checkNoMeasurements(app, browser);
    await checkFeedback(bugsink, app, browser);
  } finally {
    await app.stop();
  }
}

async function checkDelivery(bugsink: Bugsink, app: App, browser: Browser): Promise<void> {
  const context = await newContext(browser, app.origin);
  const page = await context.newPage();
  await page.goto(`${app.origin}/failures/server-data`);
  const reference = await page.locator('[data-fact="reference"]').textContent();
  const begin = Date.now();
  const arrived = () => bugsink.events(2).some(({ eventId }) => eventId === reference);
  const name = "an error reaches Bugsink under the reference that was shown";
  await until(name, arrived, 30_000).then(
    () => check(name, []),
    () => check(name, [`${reference} has not arrived`]),
  );
  console.log(`       after ${((Date.now() - begin) / 1000).toFixed(1)} s`);
  await leave(page);
  await context.close();
}

async function checkNoMeasurements(app: App, browser: Browser): Promise<void> {
  const name = "where the service takes no measurements, visits are not sampled";
  const context = await newContext(browser, app.origin);
  // Its measurement is what Bugsink answers with a limit for a day.
  await leave(await open(context, app.origin, "/static"));
  const rate = async () =>
    (await (await fetch(`${app.origin}/api/relay/settings`)).json()).tracesSampleRate;
  await until(name, async () => (await rate()) === 0, 15_000).then(
    () => check(name, []),
    async () => check(name, [`the settings say ${await rate()}`]),
  );
  await context.close();
  const later = await newContext(browser, app.origin);
  const said: string[] = [];
  const posted: string[] = [];
  later.on("console", (message) => message.type() === "error" && said.push(message.text()));
  later.on("request", (request) => request.method() === "POST" && posted.push(request.url()));
  const page = await open(later, app.origin, "/static");
  // The SDK would be asked for 2.5 s after the load: only time can show that it is not.
  await page.waitForTimeout(6000);
  await leave(page);
  check("and a visit then posts nothing", posted);
  check("and a visit then has no error in its console", said);
  await later.close();
}

async function checkFeedback(bugsink: Bugsink, app: App, browser: Browser): Promise<void> {
  const context = await newContext(browser, app.origin);
  const page = await context.newPage();
  const words = "Feedback for a service that ignores it";
  await page.goto(`${app.origin}/feedback`);
  await page.locator("[name=message]").fill(words);
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByText("Thank you for your message.").waitFor();
  const arrived = () => bugsink.events(2).some(({ title }) => title.includes(words));
  const name = "feedback that was thanked for can be read at Bugsink, with FEEDBACK_AS_EVENT";
  await until(name, arrived, 30_000).then(
    () => check(name, []),
    () => check(name, ["it is not there"]),
  );
  await context.close();
}
