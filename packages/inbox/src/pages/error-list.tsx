import { formatCount } from "../views/format.ts";
import { errorHref } from "../views/hrefs.ts";
import type { ErrorEntry } from "../views/page-data.ts";
import { texts } from "../views/texts.ts";
import { DecisionForm, StatusLabels } from "./decisions.tsx";
import { DayBars } from "./figures.tsx";
import { Code, Count, Link, originsText, Subject, TimeAgo, Unseen } from "./values.tsx";

/**
 * The errors as a mail client lists mail, in a form that decides about those selected.
 *
 * @param props.user whose errors they are
 */
export function ErrorList({ rows, user }: { rows: ErrorEntry[]; user: string | undefined }) {
  const label = "Selected errors";
  return (
    <DecisionForm label={label} lead={<span>{label}</span>}>
      <ol className="list errors">
        {rows.map((row) => (
          <Row key={row.id} row={row} user={user} />
        ))}
      </ol>
    </DecisionForm>
  );
}

function Row({ row, user }: { row: ErrorEntry; user: string | undefined }) {
  return (
    <li data-key={row.id} data-status={row.status}>
      <label>
        <input type="checkbox" name="group" value={row.id} aria-labelledby={row.id} />
      </label>
      <div>
        <Link
          id={row.id}
          href={errorHref(row.id, row.event, { user })}
          dir="auto"
          className="subject"
        >
          <Subject of={row} />
        </Link>
        <p className="note">
          <StatusLabels status={row.status} isNew={row.isNew} />
          {row.messages > 0 && (
            <strong className="badge new">
              <Count name="Messages" of={row.messages} />
            </strong>
          )}
          <Code>{row.route}</Code>
          {row.moreRoutes > 0 && <bdi dir="ltr">+{formatCount(row.moreRoutes)}</bdi>}
          <span>{originsText(row.origins)}</span>
          <Code>{row.release}</Code>
          {row.count > 1 && (
            <span>
              first seen <TimeAgo at={row.firstAt} />
            </span>
          )}
        </p>
      </div>
      <DayBars counts={row.days} label={texts.days} />
      <p>
        <Unseen>Times seen: </Unseen>
        <b>{formatCount(row.count)}</b>
      </p>
      <p>
        <Unseen>Last seen: </Unseen>
        <TimeAgo at={row.lastAt} />
      </p>
    </li>
  );
}
