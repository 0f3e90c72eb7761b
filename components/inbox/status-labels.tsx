import type { GroupStatus } from "@/lib/inbox/model/error-groups";
import { inboxMessages } from "@/lib/messages/inbox";
import styles from "./status-labels.module.css";

/** What was decided about an error, and whether it is new. Nothing for one that is just open. */
export function StatusLabels({ status, isNew }: { status: GroupStatus; isNew: boolean }) {
  const { statuses } = inboxMessages;
  return (
    <>
      {status !== "open" && (
        <strong className={styles.label} data-status={status}>
          {statuses[status]}
        </strong>
      )}
      {isNew && (
        <strong className={styles.label} data-status="new">
          {statuses.isNew}
        </strong>
      )}
    </>
  );
}
