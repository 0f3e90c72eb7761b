import type { MouseEvent } from "react";
import { type FeedbackField, type FeedbackOutcome, feedbackFields } from "@/lib/feedback/form";
import { useMessages } from "@/lib/messages/messages";
import styles from "./feedback-form.module.css";

interface Props extends FeedbackOutcome {
  /** Called when a fault is clicked, with its field. */
  onPick(name: FeedbackField): void;
}

/** Why a form was refused: the faults of its fields, each a link to the field, or another problem. */
export function FeedbackProblem({ faults = {}, problem, onPick }: Props) {
  const { feedback } = useMessages();
  const faulty = feedbackFields.filter((name) => faults[name]);

  function pick(event: MouseEvent, name: FeedbackField) {
    // Moves the focus only; the URL stays.
    event.preventDefault();
    onPick(name);
  }

  return (
    <div role="alert" className={styles.summary}>
      {problem && <p>{feedback[problem]}</p>}
      {faulty[0] && <p>{feedback.summary}</p>}
      {faulty[0] && (
        <ul>
          {faulty.map((name) => {
            const text = feedback[faults[name] ?? "failed"];
            return (
              <li key={name}>
                {name === "reference" ? (
                  text
                ) : (
                  <a href={`#feedback-${name}`} onClick={(event) => pick(event, name)}>
                    {text}
                  </a>
                )}
              </li>
            );
          })}
        </ul>
      )}
    </div>
  );
}
