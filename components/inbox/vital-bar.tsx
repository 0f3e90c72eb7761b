import type { Rating } from "@/lib/inbox/vitals";
import styles from "./vital-bar.module.css";

/**
 * A bar of three equal parts, good, needs-improvement and poor, filled as far as a value reaches.
 * Says nothing that does not stand beside it in words.
 *
 * @param props.position 0 to 1; none for the empty scale
 */
export function VitalBar({ position, rating }: { position?: number; rating?: Rating }) {
  return (
    <svg className={styles.bar} viewBox="0 0 300 12" preserveAspectRatio="none" aria-hidden="true">
      <path className={styles.track} d="M0 3h300v6H0z" />
      {position !== undefined && rating !== undefined && (
        <path
          className={styles[rating]}
          d={`M0 3h${Math.round(Math.max(position, 0.01) * 300)}v6H0z`}
        />
      )}
      <path className={styles.limits} d="M100 0v12M200 0v12" />
    </svg>
  );
}
