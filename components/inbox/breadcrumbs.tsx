import styles from "./breadcrumbs.module.css";
import type { Crumb } from "./error-view";

/** What happened before the error, in order: the last is the nearest to it. */
export function Breadcrumbs({ crumbs }: { crumbs: Crumb[] }) {
  return (
    <ol className={styles.crumbs}>
      {crumbs.map((crumb, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: breadcrumbs have no identity but their place
        <li key={i}>
          {crumb.time ? (
            <time dateTime={crumb.time.iso} title={`${crumb.time.iso}`}>
              <bdi>{crumb.time.clock}</bdi>
            </time>
          ) : (
            <span>–</span>
          )}
          <bdi dir="ltr" className={styles.category}>
            {crumb.category}
            {crumb.level !== undefined && crumb.level !== "info" && ` (${crumb.level})`}
          </bdi>
          <div dir="ltr" className={styles.said}>
            {crumb.message}
            {crumb.data.map(([name, value]) => (
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
