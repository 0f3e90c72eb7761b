import { formatCount } from "../views/format.ts";
import { errorHref } from "../views/hrefs.ts";
import type { ErrorRow } from "../views/page-data.ts";
import { texts } from "../views/texts.ts";
import { DecisionForm, StatusLabels } from "./decisions.tsx";
import { DayBars } from "./figures.tsx";
import { Code, Count, headlineOf, Link, originsText, TimeAgo, Unseen } from "./values.tsx";

const { errors, decide } = texts;

/**
 * The errors as a mail client lists mail, in a form that decides about those selected.
 *
 * @param props.user whose errors they are
 */
export function ErrorList({ rows, user }: { rows: ErrorRow[]; user: string | undefined }) {
  return (
    <DecisionForm label={decide.selected} lead={<span>{decide.selected}</span>}>
      <ol className="list errors">
        {rows.map((row) => (
          <Row key={row.id} row={row} user={user} />
        ))}
      </ol>
    </DecisionForm>
  );
}

function Row({ row, user }: { row: ErrorRow; user: string | undefined }) {
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
          <b>{headlineOf(row)}</b> {row.message}
        </Link>
        <p className="note">
          <StatusLabels status={row.status} isNew={row.isNew} />
          <Code>{row.route}</Code>
          {row.moreRoutes > 0 && <bdi dir="ltr">+{formatCount(row.moreRoutes)}</bdi>}
          <span>{originsText(row.origins)}</span>
          <Code>{row.release}</Code>
          {row.count > 1 && (
            <span>
              {errors.since} <TimeAgo at={row.firstAt} />
            </span>
          )}
          <strong className="new">
            <Count name={errors.messages} of={row.messages} />
          </strong>
        </p>
      </div>
      <DayBars counts={row.days} label={errors.days} />
      <p>
        <Unseen>{errors.times}: </Unseen>
        <b>{formatCount(row.count)}</b>
      </p>
      <p>
        <Unseen>{errors.last}: </Unseen>
        <TimeAgo at={row.lastAt} />
      </p>
    </li>
  );
}
