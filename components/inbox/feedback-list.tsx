import Link from "next/link";
import styles from "./feedback-list.module.css";
import type { FeedbackRow } from "./feedback-row";
import { Moment } from "./moment";
import type { InboxTexts } from "./texts";

/** What people wrote, the latest on top. */
export function FeedbackList({ rows, texts }: { rows: FeedbackRow[]; texts: InboxTexts }) {
  return (
    <ol className={styles.list}>
      {rows.map((row) => (
        <li key={row.key}>
          <p className={styles.head}>
            <strong>
              <bdi>{row.from}</bdi>
            </strong>
            {row.contact !== undefined && <bdi>{row.contact}</bdi>}
            <Moment>{row.at}</Moment>
          </p>
          <p className={styles.message}>
            <bdi>{row.message}</bdi>
          </p>
          {row.about && (
            <p className={styles.about}>
              {texts.about}:{" "}
              {row.about.href ? (
                <Link href={row.about.href}>
                  <bdi>{row.about.text}</bdi>
                </Link>
              ) : (
                row.about.text
              )}
            </p>
          )}
          {row.page !== undefined && (
            <p className={styles.about}>
              {texts.page}: <bdi dir="ltr">{row.page}</bdi>
            </p>
          )}
        </li>
      ))}
    </ol>
  );
}
