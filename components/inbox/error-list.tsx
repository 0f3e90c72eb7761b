import Link from "next/link";
import type { ErrorRow } from "@/lib/inbox/list-view";
import styles from "./error-list.module.css";
import { useInboxMessages } from "./use-inbox-messages";
import { Code, TimeAgo } from "./values";

/** The errors of the inbox as a mail client lists mail. */
export function ErrorList({ rows }: { rows: ErrorRow[] }) {
  const { errors, origins } = useInboxMessages();
  return (
    <ol className={styles.list}>
      {rows.map((row) => (
        <li key={row.id}>
          <Link href={row.href} dir="auto" className={styles.subject}>
            <b className={styles.type}>{row.type}</b> {row.message}
          </Link>
          <p className={styles.about}>
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
          <p className={styles.count}>
            <span className={styles.unseen}>{errors.times}: </span>
            <bdi>
              <span aria-hidden="true">×</span>
              {row.count}
            </bdi>
          </p>
          <p className={styles.last}>
            <span className={styles.unseen}>{errors.last}: </span>
            <TimeAgo>{row.last}</TimeAgo>
          </p>
        </li>
      ))}
    </ol>
  );
}
