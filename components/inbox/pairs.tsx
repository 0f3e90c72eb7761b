import type { Pair } from "@/lib/inbox/event-detail";
import styles from "./pairs.module.css";

/** Names and values out of a report, as a plate. */
export function Pairs({ pairs }: { pairs: Pair[] }) {
  return (
    <dl className={styles.pairs}>
      {pairs.map(([name, value]) => (
        <div key={name}>
          <dt>
            <bdi>{name}</bdi>
          </dt>
          <dd>
            <bdi>{value}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  );
}
