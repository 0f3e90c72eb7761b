import button from "@/components/button.module.css";
import type { GroupStatus } from "@/lib/inbox/model/error-groups";
import { inboxMessages } from "@/lib/messages/inbox";
import styles from "./decisions.module.css";

/** What each button sets, and for which errors there is nothing to set. */
const decisions = [
  { name: "resolve", state: "resolved" },
  { name: "ignore", state: "ignored" },
  { name: "reopen", state: "open" },
] as const;

/**
 * The buttons of a form that decides about errors.
 *
 * @param props.status of the one error that it decides about; none where it decides about several
 * @param props.renderedAt when the data of the page was made: ISO 8601
 */
export function DecisionButtons(props: { status?: GroupStatus; renderedAt: string }) {
  const { decide } = inboxMessages;
  const { status } = props;
  // What came back counts as open, and resolving it again is a new decision.
  const shown = decisions.filter(
    ({ state }) => state !== (status === "came-back" ? "open" : status),
  );
  return (
    <div className={styles.buttons}>
      <input type="hidden" name="seen" value={Date.parse(props.renderedAt)} />
      {shown.map(({ name, state }) => (
        <button
          key={name}
          type="submit"
          name="state"
          value={state}
          className={`${button.button} ${button.quiet}`}
        >
          {decide[name]}
        </button>
      ))}
    </div>
  );
}

/** What was decided about an error, and whether it is new. Nothing for one that is just open. */
export function StatusLabels({ status, isNew }: { status: GroupStatus; isNew: boolean }) {
  const { states } = inboxMessages.find;
  return (
    <>
      {status !== "open" && (
        <strong className={styles.label} data-status={status}>
          {states[status]}
        </strong>
      )}
      {isNew && (
        <strong className={styles.label} data-status="new">
          {states.new}
        </strong>
      )}
    </>
  );
}
