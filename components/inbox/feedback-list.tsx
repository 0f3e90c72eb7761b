import Link from "next/link";
import type { FeedbackRow } from "@/lib/inbox/views/feedback-rows";
import { inboxMessages } from "@/lib/messages/inbox";
import styles from "./feedback-list.module.css";
import { TimeAgo } from "./values";

/** What visitors wrote, newest first. */
export function FeedbackList({ rows }: { rows: FeedbackRow[] }) {
  const { feedback } = inboxMessages;
  return (
    <ol className={styles.list}>
      {rows.map((row) => (
        <li key={row.key}>
          <p className={styles.head}>
            <strong>
              <bdi>{row.name ?? row.contact ?? feedback.anonymous}</bdi>
            </strong>
            {row.name !== null && row.contact !== null && <bdi>{row.contact}</bdi>}
            <TimeAgo>{row.at}</TimeAgo>
          </p>
          <p className={styles.message}>
            <bdi>{row.message}</bdi>
          </p>
          {row.about && (
            <p className={styles.about}>
              {feedback.about}:{" "}
              {row.about === "no-longer-kept" ? (
                feedback.noLongerKept
              ) : (
                <Link href={row.about.href}>
                  <bdi>{row.about.text}</bdi>
                </Link>
              )}
            </p>
          )}
          {row.page !== null && (
            <p className={styles.about}>
              {feedback.page}: <bdi dir="ltr">{row.page}</bdi>
            </p>
          )}
        </li>
      ))}
    </ol>
  );
}
