import { Fragment, type ReactNode } from "react";
import type { GroupStatus } from "../model/error-groups.ts";
import type { RemovalSubject } from "../removal.ts";
import { texts } from "../views/texts.ts";
import { thisPage } from "./values.tsx";

/** What each button sets, and for which errors there is nothing to set. */
const decisions = [
  { state: "resolved", text: "Resolve" },
  { state: "ignored", text: "Ignore" },
  { state: "open", text: "Reopen" },
] as const;

/**
 * A form that decides about the errors named in it.
 *
 * @param props.status of the one error that it decides about; none where it decides about several
 * @param props.lead stands before the buttons
 */
export function DecisionForm(props: {
  label: string;
  status?: GroupStatus;
  lead: ReactNode;
  children: ReactNode;
}) {
  const { label, lead, children } = props;
  // What came back counts as open, and resolving it again is a new decision.
  const set = props.status === "came-back" ? "open" : props.status;
  const { url, now } = thisPage();
  return (
    <form method="post" action={url} aria-label={label}>
      <input type="hidden" name="seen" value={now} />
      <p className="buttons">
        {lead}
        <span className="buttons">
          {decisions.map(
            ({ state, text }) =>
              state !== set && (
                <button key={state} type="submit" name="state" value={state} className="button">
                  {text}
                </button>
              ),
          )}
        </span>
      </p>
      {children}
    </form>
  );
}

/**
 * A form that removes what is named in it, behind a summary: so nothing goes by one press alone, also
 * without JavaScript. While it is open, a refresh leaves it as it was when it was opened: the page around it may
 * show something newer by then.
 *
 * @param props.names ids that can be removed, each with the text of its button
 */
export function RemovalForm(props: {
  ask: string;
  help: string;
  names: { kind: RemovalSubject["kind"]; id: string; text: string }[];
}) {
  const { url } = thisPage();
  return (
    <details data-steady="open">
      <summary>{props.ask}</summary>
      <form method="post" action={url} aria-label={props.ask}>
        <p>{props.help}</p>
        <p className="buttons">
          {props.names.map(({ kind, id, text }) => (
            <Fragment key={kind}>
              <input type="hidden" name={kind} value={id} />
              <button type="submit" name="remove" value={kind} className="button">
                <bdi>{text}</bdi>
              </button>
            </Fragment>
          ))}
        </p>
      </form>
    </details>
  );
}

/** What was decided about an error, and whether it is new. Nothing for one that is just open. */
export function StatusLabels({ status, isNew }: { status: GroupStatus; isNew: boolean }) {
  const labels = [...(status === "open" ? [] : [status]), ...(isNew ? ["new" as const] : [])];
  return labels.map((label) => (
    <strong key={label} className={`badge ${label}`}>
      {texts.states[label]}
    </strong>
  ));
}
