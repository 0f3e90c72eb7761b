import Link from "next/link";
import type { FiledMessage } from "@/lib/inbox/model/feedback";
import { errorHref } from "@/lib/inbox/views/hrefs";
import { inboxMessages } from "@/lib/messages/inbox";
import styles from "./inbox.module.css";
import { TimeAgo } from "./values";

const { feedback } = inboxMessages;

/** What visitors wrote, newest first. */
export function FeedbackList({ rows }: { rows: FiledMessage[] }) {
  return (
    <ol className={styles.list}>
      {rows.map(({ key, name, contact, at, message, page, ...row }) => (
        <li key={key}>
          <p className={styles.note}>
            <b dir="auto">{name ?? contact ?? feedback.anonymous}</b>
            {name !== null && contact !== null && <bdi>{contact}</bdi>}
            <TimeAgo at={at} />
          </p>
          <p className={styles.message}>
            <bdi>{message}</bdi>
          </p>
          <p className={styles.note}>
            {row.about !== null && (
              <span>
                {feedback.about}:{" "}
                {row.group === null ? (
                  feedback.noLongerKept
                ) : (
                  <Link href={errorHref(row.group, row.about)}>
                    <bdi>{[row.errorType, row.errorMessage].filter(Boolean).join(": ")}</bdi>
                  </Link>
                )}
              </span>
            )}
            {page !== null && (
              <span>
                {feedback.page}: <bdi dir="ltr">{page}</bdi>
              </span>
            )}
          </p>
        </li>
      ))}
    </ol>
  );
}
