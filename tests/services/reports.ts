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

/** Checks how often each thing was reported. */
export function checkCounts(service: Service, { references }: Shown): void {
  const events = reportsOf(service, "event");
  const ids = [...events, ...reportsOf(service, "transaction")].map(({ event_id }) => event_id);
  // A page that is left before its report was answered leaves it to the next one. Services know an
  // id that they have.
  console.log(`       ${service.items("event").length - events.length} events were sent again`);
  const counts = countBy(events, (event) => pathOf(event) ?? "no path");
  const rejections = events.filter((event) => titleOf(event).includes("Rejected on the server"));
  for (const { request } of rejections) {
    const path = pathOf({ request } as Report) ?? "no path";
    counts[path] = (counts[path] ?? 0) - 1;
  }
  check("each failure is one event", wrongCounts(counts, expectedEvents));
  const noise = modes.map((mode) => pageOf(mode, "noise"));
  const unexpected = Object.entries(counts).filter(
    ([path, n]) => n > 0 && !(path in expectedEvents) && !isCheckedElsewhere(path),
  );
  const asNoise = events.filter((event) => noise.includes(pathOf(event) ?? "")).map(titleOf);
  check("noise is dropped, with the SDK and without", asNoise);
  check(
    "nothing else is reported",
    unexpected.filter(([path]) => !noise.includes(path)).map(([path, n]) => `${path}: ${n}`),
  );
  checkThat(
    "a rejection on the server is one event",
    rejections.length === 1,
    `${rejections.length}`,
  );
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
  const measured = (op: string) =>
    countBy(
      reportsOf(service, "transaction").filter(({ contexts }) => contexts?.trace?.op === op),
      (report) => pathOf(report) ?? "no path",
    );
  const once = (paths: string[]) => Object.fromEntries(paths.map((path) => [path, 1]));
  check("each visit is measured once", wrongCounts(measured("pageload"), once(expectedLoads)));
  check(
    "each navigation is measured once",
    wrongCounts(measured("navigation"), once(expectedNavigations)),
  );
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
  const users = reportsOf(service, "event").filter(
    ({ user }) => user && Object.keys(user).length > 0,
  );
  check("no event names a user", users.map(titleOf));
}

/** Checks what every report says of itself. */
export function checkFacts(service: Service): void {
  const events = reportsOf(service, "event");
  const rejection = "Rejected on the server";
  const all = [...events, ...reportsOf(service, "transaction")];
  const lack = (name: string, reports: Report[], has: (report: Report) => unknown) =>
    check(name, reports.filter((report) => !has(report)).map(describe));
  const inBrowser = (report: Report) => report.platform === "javascript";
  const browsers = events.filter(inBrowser);
  const servers = events.filter((report) => !inBrowser(report));
  lack(
    "every report has release and environment",
    all,
    ({ release, environment }) => release === "9.8.7" && environment === "staging",
  );
  lack("every event's request.url is a URL", events, ({ request }) =>
    /^https?:\/\//.test(request?.url ?? ""),
  );
  lack(
    "every transaction's request.url is a URL",
    all.filter(({ type }) => type === "transaction"),
    ({ request }) => /^https?:\/\//.test(request?.url ?? ""),
  );
  lack("every report names its SDK", all, ({ sdk }) => sdk?.name);
  lack(
    "browser events are tagged with side and route",
    browsers,
    ({ tags }) => tags?.side === "browser" && tags.route,
  );
  lack(
    "server events are tagged with side and route",
    servers,
    (event) =>
      event.tags?.side === "server" && (event.tags.route || titleOf(event).includes(rejection)),
  );
  lack(
    "browser events name browser and OS",
    browsers,
    ({ contexts }) => contexts?.browser?.name && contexts.os?.name,
  );
  lack(
    "server events have runtime, OS and app",
    servers,
    ({ contexts }) => contexts?.runtime && contexts.os && contexts.app,
  );
  lack(
    "a rejection on the server has its own route or none",
    events.filter((event) => titleOf(event).includes(rejection)),
    (event) => [undefined, "/api/services/rejected"].includes(pathOf(event)),
  );
}

/** Checks stacks: where the code is, and whose it is. */
export function checkStacks(service: Service): void {
  const frames = reportsOf(service, "event").flatMap((event) =>
    (event.exception?.values ?? []).flatMap(({ stacktrace }) =>
      (stacktrace?.frames ?? []).map((frame) => ({ event, frame })),
    ),
  );
  const own = frames.filter(({ frame }) => frame.in_app);
  const built = own.filter(({ frame }) => /chunks\/|_next\/static/.test(frame.filename ?? ""));
  check(
    "every frame of the app is resolved, those of the first errors too",
    built.map(({ event, frame }) => `${titleOf(event)}: ${frame.filename}`),
  );
  const wrappers = own.filter(({ frame }) =>
    /\blib\/(navigation|reporting|server|sentry)\//.test(frame.filename ?? ""),
  );
  check(
    "Signpost's own wrappers are not in_app",
    wrappers.map(({ event, frame }) => `${titleOf(event)}: ${frame.filename}`),
  );
  const without = reportsOf(service, "event").filter(
    (event) => /thrown$/.test(titleOf(event)) && !event.exception?.values.at(-1)?.stacktrace,
  );
  check("what is thrown has a frame, where there is no stack too", without.map(describe));
}

/** Checks what the measurements of visits hold. */
export function checkTraces(service: Service): void {
  const all = [...reportsOf(service, "event"), ...reportsOf(service, "transaction")];
  const tunnel = /\/api\/relay\b/;
  const traced = all.flatMap((report) => [
    ...(report.spans ?? [])
      .filter((span) => tunnel.test(JSON.stringify(span)))
      .map(() => `span in ${describe(report)}`),
    ...(report.breadcrumbs ?? [])
      .filter((breadcrumb) => tunnel.test(JSON.stringify(breadcrumb)))
      .map(() => `breadcrumb in ${describe(report)}`),
  ]);
  check("the tunnel is in no span and no breadcrumb", traced);
  const loads = reportsOf(service, "transaction").filter(
    ({ contexts }) => contexts?.trace?.op === "pageload",
  );
  const later = loads.flatMap((load) =>
    (load.spans ?? [])
      // Half a millisecond: both are rounded.
      .filter(
        (span) =>
          span.start_timestamp < load.start_timestamp - 5e-4 ||
          span.timestamp > load.timestamp + 5e-4,
      )
      .map((span) => `${pathOf(load)}: ${span.op} ${span.description}`),
  );
  check("the spans of a page load lie within it", later);
  const traceOf = ({ contexts }: Report) => contexts?.trace?.trace_id;
  const visited = reportsOf(service, "transaction")
    .filter(({ sdk }) => sdk?.name === "sentry.javascript.nextjs")
    .map(traceOf);
  const inp = reportsOf(service, "transaction").filter(
    (report) => report.measurements?.inp && visited.includes(traceOf(report)),
  );
  checkThat(
    "INP is a measurement, in a visit with the SDK too",
    inp.length > 0,
    "no transaction of the visit has it",
  );
  check(
    "no item is of a kind that older services don't know",
    service.items("span").map(() => "span"),
  );
}

const describe = (report: Report) =>
  `${titleOf(report)} on ${pathOf(report) ?? report.transaction}`;

function countBy<T>(all: T[], keyOf: (one: T) => string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const one of all) counts[keyOf(one)] = (counts[keyOf(one)] ?? 0) + 1;
  return counts;
}

function wrongCounts(counts: Record<string, number>, expected: Record<string, number>): string[] {
  const wrong = Object.entries(expected).filter(([key, n]) => (counts[key] ?? 0) !== n);
  return wrong.map(([key, n]) => `${key}: ${counts[key] ?? 0} in place of ${n}`);
}
