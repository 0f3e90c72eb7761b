import Link from "next/link";
import { useRouter } from "next/router";
import type { ErrorRow } from "@/lib/inbox/views/list-view";
import { inboxMessages } from "@/lib/messages/inbox";
import { toLocale } from "@/lib/messages/locales";
import { urlOf } from "@/lib/routes/location";
import { DayBars } from "./day-bars";
import { DecisionButtons, StatusLabels } from "./decisions";
import styles from "./error-list.module.css";
import { Code, headlineOf, TimeAgo, Unseen } from "./values";

/**
 * The errors of the inbox as a mail client lists mail, in a form that decides about those selected.
 *
 * @param props.renderedAt when the rows were made: ISO 8601
 */
export function ErrorList({ rows, renderedAt }: { rows: ErrorRow[]; renderedAt: string }) {
  const { asPath, locale } = useRouter();
  const { decide } = inboxMessages;
  return (
    <form method="post" action={urlOf({ path: asPath, locale: toLocale(locale) })}>
      <fieldset className={styles.decisions}>
        <legend>{decide.selected}</legend>
        <DecisionButtons renderedAt={renderedAt} />
      </fieldset>
      <ol className={styles.list}>
        {rows.map((row) => (
          <Row key={row.id} row={row} />
        ))}
      </ol>
    </form>
  );
}

function Row({ row }: { row: ErrorRow }) {
  const { errors, origins } = inboxMessages;
  return (
    <li data-status={row.status}>
      <label>
        <input type="checkbox" name="group" value={row.id} aria-labelledby={row.id} />
      </label>
      <Link id={row.id} href={row.href} dir="auto" className={styles.subject}>
        <b className={styles.type}>{headlineOf(row)}</b> {row.message}
      </Link>
      <p className={styles.about}>
        {(row.isNew || row.status !== "open") && (
          <StatusLabels status={row.status} isNew={row.isNew} />
        )}
        {row.route !== undefined && <Code>{row.route}</Code>}
        {row.moreRoutes !== undefined && <bdi dir="ltr">{row.moreRoutes}</bdi>}
        <span>{row.origins.map((origin) => origins[origin]).join(" + ")}</span>
        {row.release !== undefined && <Code>{row.release}</Code>}
        {row.first && (
          <span>
            {errors.since} <TimeAgo>{row.first}</TimeAgo>
          </span>
        )}
        {row.messages !== undefined && (
          <strong>
            {errors.messages}: {row.messages}
          </strong>
        )}
      </p>
      <DayBars counts={row.days} label={errors.days} />
      <p className={styles.count}>
        <Unseen>{errors.times}: </Unseen>
        <bdi>{row.count}</bdi>
      </p>
      <p className={styles.last}>
        <Unseen>{errors.last}: </Unseen>
        <TimeAgo>{row.last}</TimeAgo>
      </p>
    </li>
  );
}
