import Link from "next/link";
import styles from "./error-list.module.css";
import type { ErrorRow } from "./list-view";
import { Moment } from "./moment";
import type { InboxTexts } from "./texts";

/** Errors as a mail client lists mail: one strong line each, the latest on top. */
export function ErrorList({ rows, texts }: { rows: ErrorRow[]; texts: InboxTexts }) {
  return (
    <ol className={styles.list}>
      {rows.map((row) => (
        <li key={row.id}>
          <Link href={row.href} dir="auto" className={styles.subject}>
            <b className={styles.type}>{row.type}</b> {row.message}
          </Link>
          <p className={styles.about}>
            {row.route !== undefined && (
              <bdi dir="ltr" className={styles.code}>
                {row.route}
              </bdi>
            )}
            {row.moreRoutes !== undefined && <bdi dir="ltr">{row.moreRoutes}</bdi>}
            <span>{row.sides}</span>
            {row.release !== undefined && (
              <bdi dir="ltr" className={styles.code}>
                {row.release}
              </bdi>
            )}
            {row.first && (
              <span>
                {texts.since} <Moment>{row.first}</Moment>
              </span>
            )}
            {row.messages !== undefined && (
              <strong>
                {texts.messages}: {row.messages}
              </strong>
            )}
          </p>
          <p className={styles.count}>
            <span className={styles.unseen}>{texts.times}: </span>
            <bdi>
              <span aria-hidden="true">×</span>
              {row.count}
            </bdi>
          </p>
          <p className={styles.last}>
            <span className={styles.unseen}>{texts.lastSeen}: </span>
            <Moment>{row.last}</Moment>
          </p>
        </li>
      ))}
    </ol>
  );
}
