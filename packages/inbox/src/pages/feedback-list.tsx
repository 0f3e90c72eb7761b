import type { FiledMessage } from "../model/feedback.ts";
import { errorHref } from "../views/hrefs.ts";
import { texts } from "../views/texts.ts";
import { Link, TimeAgo } from "./values.tsx";

const { feedback } = texts;

/** What visitors wrote, newest first. */
export function FeedbackList({ rows }: { rows: FiledMessage[] }) {
  return (
    <ol className="list">
      {rows.map(({ key, name, contact, at, message, page, ...row }) => (
        <li key={key}>
          <p className="note">
            <b dir="auto">{name ?? contact ?? feedback.anonymous}</b>
            {name !== null && contact !== null && <bdi>{contact}</bdi>}
            <TimeAgo at={at} />
          </p>
          <p className="message">
            <bdi>{message}</bdi>
          </p>
          <p className="note">
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
