import Link from "next/link";
import { Sign } from "@/components/sign";
import type { Rating } from "@/lib/inbox/model/vitals";
import type {
  RequestFigures,
  RouteRow,
  ScaleRow,
  SlowVisit,
  VitalCell,
} from "@/lib/inbox/views/list-view";
import { inboxMessages } from "@/lib/messages/inbox";
import styles from "./performance-list.module.css";
import { TimeAgo, Unseen } from "./values";

/** Web vitals and request durations of each route, and how to read them. */
export function PerformanceList(props: {
  rows: RouteRow[];
  /** Where only one route is shown, its slowest visits. */
  slowest: SlowVisit[] | undefined;
  scale: ScaleRow[];
}) {
  const { rows, slowest, scale } = props;
  return (
    <>
      <Scale rows={scale} />
      {rows.map((row) => (
        <RouteSection key={row.route} row={row} scale={scale} />
      ))}
      {slowest && <Slowest visits={slowest} />}
    </>
  );
}

function Scale({ rows }: { rows: ScaleRow[] }) {
  const { performance } = inboxMessages;
  return (
    <section className={styles.scale}>
      <h2>{performance.scale}</h2>
      <p>{performance.scaleHelp}</p>
      <ul className={styles.vitals}>
        {rows.map(({ vital, good, poor }) => (
          <li key={vital}>
            <p>
              <b>{vital.toUpperCase()}</b>
            </p>
            <VitalBar />
            <p className={styles.limits} aria-hidden="true">
              <bdi>{good}</bdi>
              <bdi>{poor}</bdi>
            </p>
            <p className={styles.word}>
              {performance.vitals[vital]}
              <Unseen>
                {`: ${performance.goodUpTo} ${good}, ${performance.poorOver} ${poor}`}
              </Unseen>
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}

function RouteSection({ row, scale }: { row: RouteRow; scale: ScaleRow[] }) {
  const { performance } = inboxMessages;
  const name = <Sign pattern={row.isUnknown ? performance.unknownRoute : row.route} />;
  return (
    <section className={styles.route}>
      <header>
        <h2>
          {row.href === undefined ? (
            name
          ) : (
            <Link href={row.href} className={styles.name}>
              {name}
            </Link>
          )}
        </h2>
        {row.visits !== undefined && (
          <p>
            {performance.visits}: {row.visits}
          </p>
        )}
      </header>
      {row.vitals.some(Boolean) && (
        <ul className={styles.vitals}>
          {scale.map(({ vital }, i) => {
            const cell = row.vitals[i];
            return <li key={vital}>{cell ? <Cell cell={cell} /> : <EmptyCell vital={vital} />}</li>;
          })}
        </ul>
      )}
      {row.requests && <Requests figures={row.requests} />}
    </section>
  );
}

/** The visits of a route that took longest, each a link to its own page. */
function Slowest({ visits }: { visits: SlowVisit[] }) {
  const { performance, origins } = inboxMessages;
  return (
    <section className={styles.slowest}>
      <h2>{performance.slowest}</h2>
      <ol>
        {visits.map(({ traceId, href, duration, at, origin }) => (
          <li key={traceId}>
            <Link href={href}>
              <bdi>{duration}</bdi>
            </Link>
            <span>{origins[origin]}</span>
            <TimeAgo>{at}</TimeAgo>
          </li>
        ))}
      </ol>
      <Link href="/reports?view=performance">{performance.allRoutes}</Link>
    </section>
  );
}

function Cell({ cell }: { cell: VitalCell }) {
  const { performance } = inboxMessages;
  const measured = `${performance.measured}: ${cell.measured}`;
  return (
    <>
      <p>
        <abbr title={performance.vitals[cell.vital]}>{cell.vital.toUpperCase()}</abbr>
        <bdi className={styles.value} title={measured}>
          {cell.value}
        </bdi>
      </p>
      <VitalBar position={cell.position} rating={cell.rating} />
      <p className={styles.word}>
        <span className={styles[cell.rating]}>{performance.ratings[cell.rating]}</span>
        <Unseen>{measured}</Unseen>
      </p>
    </>
  );
}

function EmptyCell({ vital }: { vital: string }) {
  return (
    <p>
      <span>{vital.toUpperCase()}</span>
      <span>–</span>
    </p>
  );
}

/**
 * A bar of three equal parts, good, needs-improvement and poor, filled up to a value. Hidden from
 * screen readers: the text beside it says the same.
 *
 * @param props.position 0 to 1; none for the empty scale
 */
function VitalBar({ position, rating }: { position?: number; rating?: Rating }) {
  return (
    <svg className={styles.bar} viewBox="0 0 300 12" preserveAspectRatio="none" aria-hidden="true">
      <path className={styles.track} d="M0 3h300v6H0z" />
      {position !== undefined && rating !== undefined && (
        <path
          className={styles[rating]}
          d={`M0 3h${Math.round(Math.max(position, 0.01) * 300)}v6H0z`}
        />
      )}
      <path className={styles.marks} d="M100 0v12M200 0v12" />
    </svg>
  );
}

function Requests({ figures }: { figures: RequestFigures }) {
  const { performance } = inboxMessages;
  return (
    <div className={styles.server}>
      <span>{performance.server}</span>
      <dl className={styles.requests}>
        {(["count", "p50", "p75", "p95", "failureRate"] as const).map((name) => (
          <div key={name}>
            <dt>{performance.requests[name]}</dt>
            <dd
              className={name === "failureRate" && figures.hasFailures ? styles.failing : undefined}
            >
              <bdi>{figures[name]}</bdi>
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
