import { expect, test } from "../support/app";
import type { Service } from "../support/service";

interface Event {
  transaction: string;
  user?: { id: string };
  tags: Record<string, string>;
  breadcrumbs?: { message?: string }[];
  request: { url: string; query_string: string; method: string };
  contexts: { trace: { trace_id: string; span_id: string; parent_span_id?: string } };
  spans?: { description: string }[];
}

let service: Service;

test.beforeEach(({ service: ofTheTest }) => {
  service = ofTheTest;
});

/** Of each kind, the path that is asked for and the route that it belongs to. */
const kinds: [path: string, route: string][] = [
  ["/failures/server-data", "/failures/server-data"],
  ["/failures/server-render", "/failures/server-render"],
  ...["caught", "stream", "timer", "rejection", "closed", "span"].map(
    (kind) => [`/api/visitor/${kind}`, "/api/visitor/[kind]"] as [string, string],
  ),
];
const requests = 80;
const atOnce = 20;

function payloads(type: string): Event[] {
  return service.payloads<Event>(type);
}

for (const mode of ["requests", "full"]) {
  test(`each error has the visitor, URL, route and trace of its own request, with tracing ${mode}`, {
    tag: "@verify",
  }, async ({ launch }) => {
    const app = await launch({ SENTRY_DSN: service.dsn, SENTRY_SERVER_TRACING: mode });
    const waiting = Array.from({ length: requests }, (_, n) => {
      const [path, route] = kinds[n % kinds.length] as [string, string];
      return { path, route, visitor: `v${n}` };
    });
    const expected = new Map(waiting.map((one) => [one.visitor, one]));
    const ask = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const { path, visitor } = next;
        await (await fetch(app.url(`${path}?visitor=${visitor}`))).text();
      }
    };
    await Promise.all(Array.from({ length: atOnce }, ask));
    const unreported = () => {
      const seen = new Set(payloads("event").map(({ user }) => user?.id));
      return [...expected.values()].filter(({ visitor }) => !seen.has(visitor));
    };
    await expect.poll(unreported).toEqual([]);
    await app.stop();

    const events = payloads("event");
    const seen = events.map(({ user }) => user?.id);
    expect([...seen].sort()).toEqual([...expected.keys()].sort());
    const transactions = payloads("transaction");
    expect(transactions).toHaveLength(requests);
    const traces = new Map(transactions.map((one) => [one.contexts.trace.trace_id, one]));
    for (const event of events) {
      const { path, route, visitor } = expected.get(event.user?.id ?? "") ?? {};
      expect({
        visitor: event.tags.visitor,
        breadcrumbs: event.breadcrumbs
          ?.map(({ message }) => message)
          .filter((message) => message?.startsWith("visitor ")),
        transaction: event.transaction,
        route: event.tags.route,
        request: event.request,
        traceOf: traces.get(event.contexts.trace.trace_id)?.user?.id,
      }).toEqual({
        visitor,
        breadcrumbs: [`visitor ${visitor}`],
        transaction: `GET ${route}`,
        route,
        request: { method: "GET", url: app.url(path ?? ""), query_string: "visitor=[Filtered]" },
        traceOf: visitor,
      });
    }
    for (const { transaction, request, user, spans = [] } of transactions) {
      const { path = "", route } = expected.get(user?.id ?? "") ?? {};
      expect([transaction, request.url]).toEqual([`GET ${route}`, app.url(path)]);
      const own = spans.filter(({ description }) => description === "own span");
      expect(own).toHaveLength(path.endsWith("/span") ? 1 : 0);
    }
  });
}
