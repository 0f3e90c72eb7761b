import type { BreadcrumbRow } from "@/lib/inbox/views/error-report-view";
import styles from "./breadcrumbs.module.css";

/** What happened before the error, oldest first. */
export function Breadcrumbs({ rows }: { rows: BreadcrumbRow[] }) {
  return (
    <ol className={styles.crumbs}>
      {rows.map((row, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: breadcrumbs have no id
        <li key={i}>
          {row.time ? (
            <time dateTime={row.time.iso} title={row.time.iso}>
              <bdi>{row.time.clock}</bdi>
            </time>
          ) : (
            <span>–</span>
          )}
          <bdi dir="ltr" className={styles.category}>
            {row.category}
            {row.level !== undefined && row.level !== "info" && ` (${row.level})`}
          </bdi>
          <div dir="ltr" className={styles.said}>
            {row.message}
            {row.data.map(([name, value]) => (
              <span key={name}>
                {name}={value}
              </span>
            ))}
          </div>
        </li>
      ))}
    </ol>
  );
}
