import type { RequestSummary, RoutePerformance, Visit } from "../model/filed-performance.ts";
import type { ReleaseHealth } from "../model/sessions.ts";
import { formatCount, formatDuration, formatShare } from "../views/format.ts";
import { listHref, routeHref, visitHref } from "../views/hrefs.ts";
import type { ListView } from "../views/page-data.ts";
import { texts } from "../views/texts.ts";
import { Code, Count, Facts, Link, originsText, Sign, TimeAgo } from "./values.tsx";
import { Scale, Vitals } from "./vitals.tsx";

const { performance } = texts;

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
  const { releases } = performance;
  return (
    <section>
      <h2>{releases.heading}</h2>
      <p className="note">{rows.length > 0 ? releases.help : releases.empty}</p>
      <ol className="list">
        {rows.map(({ release, started, crashed, errored, lastHour }) => (
          <li key={release} className="line">
            <b>
              <Code>{release}</Code>
            </b>
            <Facts
              className="figures"
              rows={[
                [releases.crashFree, bad(crashed > 0, formatShare(started - crashed, started))],
                [releases.sessions, formatCount(started)],
                [releases.crashed, formatCount(crashed)],
                [releases.errored, formatCount(errored)],
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
        {vitals.length > 0 && <Count name={performance.visits} of={visits} />}
      </header>
      {vitals.length > 0 && <Vitals values={vitals.map((its) => ({ ...its, value: its.p75 }))} />}
      {requests && <Requests figures={requests} />}
    </section>
  );
}

function Requests({ figures: { count, p50, p75, p95, failureRate } }: { figures: RequestSummary }) {
  const { requests, server } = performance;
  return (
    <div className="line">
      <b>{server}</b>
      <Facts
        className="figures"
        rows={[
          [requests.count, formatCount(count)],
          [requests.p50, formatDuration(p50)],
          [requests.p75, formatDuration(p75)],
          [requests.p95, formatDuration(p95)],
          [requests.failureRate, bad(failureRate > 0, formatShare(failureRate, 1))],
        ]}
      />
    </div>
  );
}

/** The visits of a route that took longest, each a link to its own page. */
function Slowest({ visits }: { visits: Visit[] }) {
  return (
    <section>
      <h2>{performance.slowest}</h2>
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
        {performance.allRoutes}
      </Link>
    </section>
  );
}
