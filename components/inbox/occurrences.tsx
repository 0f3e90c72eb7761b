import Link from "next/link";
import type { Occurrence } from "./error-view";
import { Moment } from "./moment";
import styles from "./occurrences.module.css";

/** The latest events of one error, each a link to its own report. */
export function Occurrences({ rows }: { rows: Occurrence[] }) {
  return (
    <ol className={styles.list}>
      {rows.map((row) => (
        <li key={row.eventId}>
          <Link href={row.href} aria-current={row.current ? "page" : undefined}>
            <Moment>{row.at}</Moment>
          </Link>
          {row.route !== undefined && (
            <bdi dir="ltr" className={styles.code}>
              {row.route}
            </bdi>
          )}
          <span>{row.side}</span>
          {row.release !== undefined && (
            <bdi dir="ltr" className={styles.code}>
              {row.release}
            </bdi>
          )}
          <bdi dir="ltr" className={styles.code}>
            {row.eventId}
          </bdi>
        </li>
      ))}
    </ol>
  );
}
