import type { RequestSummary, RoutePerformance, Visit } from "../model/filed-performance.ts";
import type { ReleaseHealth } from "../model/sessions.ts";
import { formatCount, formatDuration, formatShare } from "../views/format.ts";
import { listHref, routeHref, visitHref } from "../views/hrefs.ts";
import type { ListView } from "../views/page-data.ts";
import { Code, Count, Facts, Link, originsText, Sign, TimeAgo } from "./values.tsx";
import { Scale, Vitals } from "./vitals.tsx";

/** Web vitals and request durations of each route, how to read them, and sessions by release. */
export function PerformanceList({ view: { routes, releases, slowest } }: { view: ListView }) {
  return (
    <div className="routes">
      {routes.length > 0 && <Scale />}
      {releases && <Releases rows={releases} />}
      {routes.map((one) => (
        <RouteSection key={one.route} one={one} isOnly={slowest !== undefined} />
      ))}
      {slowest && <Slowest visits={slowest} />}
    </div>
  );
}

/** Of each release, how many of its sessions did not crash. */
function Releases({ rows }: { rows: ReleaseHealth[] }) {
  return (
    <section>
      <h2>Releases</h2>
      <p className="note">
        {rows.length > 0
          ? "A session is a page that the server has served to a visitor. It has crashed if the page failed, in the browser or on the server."
          : "No sessions yet. The server counts the pages that visitors open, and tells once a minute."}
      </p>
      <ol className="list columns releases">
        {rows.map(({ release, started, crashed, errored, lastHour }) => (
          <li key={release} className="line">
            <b>
              <Code>{release}</Code>
            </b>
            <Facts
              className="figures"
              rows={[
                ["Crash-free", bad(crashed > 0, formatShare(started - crashed, started))],
                ["Sessions", formatCount(started)],
                ["Crashed", formatCount(crashed)],
                ["With errors", formatCount(errored)],
              ]}
            />
            <TimeAgo at={lastHour} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function bad(isBad: boolean, text: string) {
  return isBad ? <span className="poor">{text}</span> : text;
}

function RouteSection({ one, isOnly }: { one: RoutePerformance; isOnly: boolean }) {
  const { route, vitals, requests } = one;
  const name = <Sign pattern={route} />;
  // The INP of a visit may come several times: of each page in it, and with the page load.
  const once = vitals.filter(({ vital }) => vital !== "inp");
  const visits = Math.max(...(once.length > 0 ? once : vitals).map(({ count }) => count));
  return (
    <section>
      <header>
        <h2>{one.visits > 0 && !isOnly ? <Link href={routeHref(route)}>{name}</Link> : name}</h2>
        {vitals.length > 0 && <Count name="Visits measured" of={visits} />}
      </header>
      {vitals.length > 0 && <Vitals values={vitals.map((its) => ({ ...its, value: its.p75 }))} />}
      {requests && <Requests figures={requests} />}
    </section>
  );
}

function Requests({ figures: { count, p50, p75, p95, failureRate } }: { figures: RequestSummary }) {
  return (
    <Facts
      className="figures requests"
      rows={[
        ["Server requests", formatCount(count)],
        ["Half within", formatDuration(p50)],
        ["75% within", formatDuration(p75)],
        ["95% within", formatDuration(p95)],
        ["Failed", bad(failureRate > 0, formatShare(failureRate, 1))],
      ]}
    />
  );
}

/** The visits of a route that took longest, each a link to its own page. */
function Slowest({ visits }: { visits: Visit[] }) {
  return (
    <section>
      <h2>Slowest visits</h2>
      <ol className="list">
        {visits.map(({ traceId, duration, at, origin }) => (
          <li key={traceId} className="line">
            <Link href={visitHref(traceId)}>{formatDuration(duration)}</Link>
            <span>{originsText([origin])}</span>
            <TimeAgo at={at} />
          </li>
        ))}
      </ol>
      <Link href={listHref("performance")} className="link">
        All routes
      </Link>
    </section>
  );
}
