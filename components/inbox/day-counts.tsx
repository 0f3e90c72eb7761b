import type { DayCount } from "@/lib/inbox/views/error-report-view";
import styles from "./day-counts.module.css";

const height = 48;

/** How often an error was seen on each of the last days: count, bar and day. */
export function DayCounts({ days }: { days: DayCount[] }) {
  return (
    <ol className={styles.days}>
      {days.map(({ day, count, share }) => {
        // One report among thousands must not look like none.
        const bar = share > 0 ? Math.max(Math.round(share * height), 3) : 1;
        return (
          <li key={day}>
            <bdi className={share > 0 ? styles.some : styles.none}>{count}</bdi>
            <svg viewBox={`0 0 10 ${height}`} preserveAspectRatio="none" aria-hidden="true">
              <path
                className={share > 0 ? styles.bar : styles.base}
                d={`M0 ${height}h10v${-bar}H0z`}
              />
            </svg>
            <span className={styles.day}>{day}</span>
          </li>
        );
      })}
    </ol>
  );
}
