import type { Service } from "../support/service.ts";
import { planted } from "./browser.ts";
import { check, checkThat } from "./checks.ts";
import { bytesOf, pathOf, type Report, reportsOf, titleOf } from "./envelopes.ts";
import {
  expectedEvents,
  expectedLoads,
  expectedNavigations,
  isCheckedElsewhere,
} from "./expected.ts";
import { feedback, modes, pageOf, type Shown } from "./scenario.ts";

const placeOf = (report: Report) => pathOf(report) ?? "no path";

/** Checks how often each thing was reported. What reports hold, e2e tests and the comparison show. */
export function checkCounts(service: Service, { references }: Shown): void {
  const events = reportsOf(service, "event");
  const transactions = reportsOf(service, "transaction");
  // A page that is left before its report was answered leaves it to the next one. Services know an
  // id that they have.
  console.log(`      ${service.items("event").length - events.length} events were sent again`);
  // It has the path of its own route or none.
  const isRejection = (event: Report) => titleOf(event).includes("Rejected on the server");
  const rejections = events.filter(isRejection).length;
  checkThat("a rejection on the server is one event", rejections === 1, `${rejections}`);
  const counts = countBy(
    events.filter((event) => !isRejection(event)),
    placeOf,
  );
  check("each failure is one event", wrongCounts(counts, expectedEvents));
  const noise = modes.map((mode) => pageOf(mode, "noise"));
  const asNoise = events.filter((event) => noise.includes(placeOf(event)));
  check("noise is dropped, with the SDK and without", asNoise.map(titleOf));
  const isExpected = (path: string) =>
    path in expectedEvents || noise.includes(path) || isCheckedElsewhere(path);
  const unexpected = Object.entries(counts).filter(([path]) => !isExpected(path));
  check(
    "nothing else is reported",
    unexpected.map(([path, n]) => `${path}: ${n}`),
  );
  const ids = [...events, ...transactions].map(({ event_id }) => event_id);
  const unknown = Object.entries(references).filter(([, id]) => !ids.includes(id));
  check(
    "each reference that was shown is an event's id",
    unknown.map(([path, id]) => `${path}: ${id}`),
  );
  const messages = service.items("feedback").map(({ bytes }) => bytes.toString());
  for (const [how, words] of Object.entries(feedback)) {
    const found = messages.filter((message) => message.includes(words)).length;
    checkThat(`feedback arrives once: ${how}`, found === 1, `${found} times`);
  }
  const measured = (op: string, paths: string[]) =>
    wrongCounts(
      countBy(
        transactions.filter(({ contexts }) => contexts?.trace?.op === op),
        placeOf,
      ),
      Object.fromEntries(paths.map((path) => [path, 1])),
    );
  check("each visit is measured once", measured("pageload", expectedLoads));
  check("each navigation is measured once", measured("navigation", expectedNavigations));
}

/** Checks that nothing private is in any envelope. */
export function checkPrivacy(service: Service): void {
  const secrets = [...Object.values(planted), encodeURIComponent(planted.email), "Mozilla/5.0"];
  const found = service.envelopes.flatMap((envelope) => {
    const text = bytesOf(envelope).toString();
    const types = envelope.items.map(({ header }) => header.type).join();
    return secrets
      .filter((secret) => text.includes(secret))
      .map((secret) => `${secret} in ${types}`);
  });
  check("no envelope holds a cookie, a query value, an address or a user agent", found);
}

/** Checks that the spans of a page load lie within it, as services draw them. */
export function checkSpans(service: Service): void {
  const loads = reportsOf(service, "transaction").filter(
    ({ contexts }) => contexts?.trace?.op === "pageload",
  );
  // Half a millisecond: both are rounded.
  const [early, late] = [-5e-4, 5e-4];
  const outside = loads.flatMap((load) =>
    (load.spans ?? [])
      .filter(
        (span) =>
          span.start_timestamp < load.start_timestamp + early ||
          span.timestamp > load.timestamp + late,
      )
      .map((span) => `${pathOf(load)}: ${span.op} ${span.description}`),
  );
  check("the spans of a page load lie within it", outside);
}

function countBy<T>(all: T[], keyOf: (one: T) => string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const one of all) counts[keyOf(one)] = (counts[keyOf(one)] ?? 0) + 1;
  return counts;
}

function wrongCounts(counts: Record<string, number>, expected: Record<string, number>): string[] {
  const wrong = Object.entries(expected).filter(([key, n]) => (counts[key] ?? 0) !== n);
  return wrong.map(([key, n]) => `${key}: ${counts[key] ?? 0} in place of ${n}`);
}
