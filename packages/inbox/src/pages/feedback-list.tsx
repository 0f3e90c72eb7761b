import type { FiledMessage } from "../model/feedback.ts";
import { errorHref } from "../views/hrefs.ts";
import { Link, TimeAgo } from "./values.tsx";

/** What visitors wrote, newest first. */
export function FeedbackList({ rows }: { rows: FiledMessage[] }) {
  return (
    <ol className="list">
      {rows.map(({ key, name, contact, at, message, page, ...row }) => (
        <li key={key}>
          <p className="note">
            <b dir="auto">{name ?? contact ?? "anonymous"}</b>
            {name !== null && contact !== null && <bdi>{contact}</bdi>}
            <TimeAgo at={at} />
          </p>
          <p className="message" dir="auto">
            {message}
          </p>
          <p className="note">
            {row.about !== null && (
              <span>
                About:{" "}
                {row.group === null ? (
                  "an error no longer kept"
                ) : (
                  <Link href={errorHref(row.group, row.about)}>
                    <bdi>{[row.errorType, row.errorMessage].filter(Boolean).join(": ")}</bdi>
                  </Link>
                )}
              </span>
            )}
            {page !== null && (
              <span>
                Page: <bdi dir="ltr">{page}</bdi>
              </span>
            )}
          </p>
        </li>
      ))}
    </ol>
  );
}
