import type { Report } from "../services/envelopes.ts";
import type { Shown } from "./scenario.ts";
import type { Sessions } from "./visits.ts";

/** What arrived from one app, and what its visitors saw. */
export interface Answers {
  reports: Report[];
  shown: Shown;
  sessions: Sessions;
}

/**
 * What Sentry's own end-to-end tests ask of an app with the pages router, in our words and with our
 * pages. Their applications are named by the question.
 */
export const questions: [source: string, asks: string, holds: (answers: Answers) => boolean][] = [
  [
    "nextjs-13, pages-dir-pageload",
    "A page load is named by its route, and tells its address and React's version",
    ({ reports }) => {
      const found = browserTransaction(reports, "pageload", "/compared/server/one");
      return (
        isNamed(found, "/compared/server/[id]") &&
        traceOf(found)?.origin === "auto.pageload.nextjs.pages_router_instrumentation" &&
        says(found, { "url.path": "/compared/server/one" }) &&
        says(found, { "url.template": "/compared/server/[id]" }) &&
        /^http.*\/compared\/server\/one$/.test(String(traceOf(found)?.data?.["url.full"])) &&
        typeof found.contexts?.react?.version === "string"
      );
    },
  ],
  [
    "nextjs-13, pages-dir-pageload",
    "The load of a page whose data function fails has the route's name",
    ({ reports }) =>
      isNamed(
        browserTransaction(reports, "pageload", "/compared/failing/data/one"),
        "/compared/failing/data/[id]",
      ),
  ],
  [
    "nextjs-13, pages-dir-navigation",
    "A navigation is named by its route, with breadcrumbs of the click and of where to",
    ({ reports }) => {
      const found = browserTransaction(reports, "navigation", "/compared/server/navigated");
      const breadcrumbs = found?.breadcrumbs ?? [];
      return (
        isNamed(found, "/compared/server/[id]") &&
        traceOf(found)?.origin === "auto.navigation.nextjs.pages_router_instrumentation" &&
        says(found, { "url.template": "/compared/server/[id]" }) &&
        breadcrumbs.some(({ category }) => category === "ui.click") &&
        breadcrumbs.some(
          ({ category, data }) =>
            category === "navigation" &&
            data?.from === "/compared/static" &&
            data?.to === "/compared/server/navigated",
        )
      );
    },
  ],
  [
    "nextjs-13, fetch",
    "A fetch while the page loads is a span of the page load",
    ({ reports }) => {
      const { spans = [] } = browserTransaction(reports, "pageload", "/compared/fetching") ?? {};
      return spans.some(
        ({ op, origin, description, data }) =>
          op === "http.client" &&
          origin === "auto.http.browser" &&
          /^GET .*\/api\/compared\/early\/answering$/.test(description ?? "") &&
          data?.["http.response.status_code"] === 200,
      );
    },
  ],
  [
    "nextjs-13, click-error",
    "An error of a click is unhandled, with a stack whose file name is plain",
    ({ reports }) => {
      const found = error(reports, "A click fails");
      return mechanismOf(found)?.handled === false && hasPlainStack(found);
    },
  ],
  ["nextjs-13, sessions", "A visit is a session", ({ sessions }) => sessions.all > 0],
  [
    "nextjs-13, sessions",
    "A visit with an unhandled error is a crashed session",
    ({ sessions }) => sessions.crashed > 0,
  ],
  [
    "nextjs-13, getServerSideProps",
    "A rendered page and its load share a trace",
    ({ reports }) => sharesTrace(reports, "/compared/server/[id]", "/compared/server/one"),
  ],
  [
    "nextjs-13, getInitialProps",
    "So do a page with the older data function and its load",
    ({ reports }) => sharesTrace(reports, "/compared/initial/[id]", "/compared/initial/one"),
  ],
  [
    "nextjs-13, getServerSideProps",
    "A failing data function is an error and a failed transaction of one trace, both by route",
    ({ reports }) =>
      failsOnServer(reports, "A data function fails", "GET /compared/failing/data/[id]"),
  ],
  [
    "nextjs-13, pages-router-api-endpoints",
    "So is a failing API route",
    ({ reports }) => failsOnServer(reports, "An API route fails", "GET /api/compared/[id]/failing"),
  ],
  [
    "nextjs-pages-dir, pages-ssr-errors",
    "So is a page that fails while the server renders it",
    ({ reports }) =>
      failsOnServer(reports, "A page fails on the server", "GET /compared/failing/render/[id]"),
  ],
  [
    "nextjs-pages-dir, api-route-transaction",
    "An API route's request is exactly one transaction, with its route",
    ({ reports }) => {
      const name = "GET /api/compared/[id]/capturing";
      const [found, ...more] = serverTransactions(reports, name);
      return (
        isNamed(found, name) &&
        more.length === 0 &&
        traceOf(found)?.op === "http.server" &&
        traceOf(found)?.status === "ok" &&
        says(found, { "http.route": "/api/compared/[id]/capturing" })
      );
    },
  ],
  [
    "nextjs-pages-dir, error-page-lasteventid",
    "The error page knows the id of the event",
    ({ reports, shown }) =>
      (
        [
          ["/compared/failing/data/one", "A data function fails"],
          ["/compared/failing/render/one", "A page fails on the server"],
        ] as const
      ).every(([path, text]) => {
        const reference = shown.references[path];
        return reference !== undefined && reference === error(reports, text)?.event_id;
      }),
  ],
  [
    "nextjs-13, 404",
    "A page that isn't there is no transaction of the server",
    ({ reports }) =>
      !reports.some(
        ({ platform, transaction }) => platform === "node" && /404|_error/.test(transaction ?? ""),
      ),
  ],
  [
    "nextjs-pages-dir, pages-ssr-errors",
    "A tag that is set in one request is on its error, and on no other's",
    ({ reports }) =>
      reports
        .filter(({ type, tags }) => type !== "transaction" && has(tags, "of-one-request"))
        .every(({ exception }) => exception?.values.at(-1)?.value === "A data function fails") &&
      has(error(reports, "A data function fails")?.tags, "of-one-request"),
  ],
];

type Trace = { op?: string; origin?: string; status?: string; trace_id?: string } & {
  data?: Record<string, unknown>;
};

function traceOf(report: Report | undefined): Trace | undefined {
  return report?.contexts?.trace as Trace | undefined;
}

function says(report: Report | undefined, attributes: Record<string, unknown>): boolean {
  const data = traceOf(report)?.data ?? {};
  return Object.entries(attributes).every(([name, value]) => data[name] === value);
}

/** Whether it has a name, and the service is told that this is a route. */
function isNamed(report: Report | undefined, name: string): report is Report {
  return report?.transaction === name && report.transaction_info?.source === "route";
}

function has(tags: unknown, name: string): boolean {
  return typeof tags === "object" && tags !== null && name in tags;
}

function browserTransaction(reports: Report[], op: string, path: string): Report | undefined {
  return reports.find(
    (report) =>
      report.platform === "javascript" &&
      traceOf(report)?.op === op &&
      report.request?.url?.replace(/\?.*/, "").endsWith(path),
  );
}

function serverTransactions(reports: Report[], name: string): Report[] {
  return reports.filter(
    ({ type, platform, transaction }) =>
      type === "transaction" && platform === "node" && transaction === name,
  );
}

function error(reports: Report[], text: string): Report | undefined {
  return reports.find(({ exception }) => exception?.values.at(-1)?.value === text);
}

function mechanismOf(report: Report | undefined): Record<string, unknown> | undefined {
  return report?.exception?.values.at(-1)?.mechanism;
}

function hasPlainStack(report: Report | undefined): boolean {
  const frames = report?.exception?.values.at(-1)?.stacktrace?.frames ?? [];
  return frames.length > 0 && frames.every(({ filename = "" }) => !/%5B/i.test(filename));
}

function sharesTrace(reports: Report[], route: string, path: string): boolean {
  const load = browserTransaction(reports, "pageload", path);
  return serverTransactions(reports, `GET ${route}`).some(
    (request) =>
      traceOf(request)?.status === "ok" && traceOf(request)?.trace_id === traceOf(load)?.trace_id,
  );
}

function failsOnServer(reports: Report[], text: string, name: string): boolean {
  const found = error(reports, text);
  const [request] = serverTransactions(reports, name);
  return (
    found?.transaction === name &&
    mechanismOf(found)?.handled === false &&
    isNamed(request, name) &&
    traceOf(request)?.op === "http.server" &&
    traceOf(request)?.origin === "auto" &&
    traceOf(request)?.status === "internal_error" &&
    says(request, { "http.response.status_code": 500 }) &&
    traceOf(request)?.trace_id === traceOf(found)?.trace_id
  );
}
