import { useRouter } from "next/router";
import { type FormEvent, useEffect, useRef, useState } from "react";
import {
  type FeedbackField,
  type FeedbackOutcome,
  feedbackFields,
  honeypot,
} from "@/lib/feedback/form";
import { useMessages } from "@/lib/messages/messages";
import { basePath } from "@/lib/navigation/location";
import buttons from "../button.module.css";
import fields from "../fields.module.css";
import styles from "./feedback-form.module.css";
import { FeedbackProblem } from "./feedback-problem";

interface Props {
  /** The id of the event that the feedback belongs to, if any. */
  reference?: string;
  /** The server's answer to a form that was sent without JavaScript. */
  outcome?: FeedbackOutcome;
  /** What was typed into that form. */
  values?: Partial<Record<string, string>>;
}

interface State extends FeedbackOutcome {
  sending?: boolean;
  /** The visitor writes another message. */
  another?: boolean;
}

/**
 * A form in which visitors tell the team what happened. It works without JavaScript. With it, the
 * page stays, and the code that validates it and hands it to Sentry is loaded when it is submitted.
 */
export function FeedbackForm({ reference, outcome = {}, values = {} }: Props) {
  const { feedback } = useMessages();
  const { locale } = useRouter();
  const [state, setState] = useState<State>(outcome);
  const { sent, sending, faults = {}, problem } = state;
  const place = useRef<HTMLFormElement & HTMLDivElement>(null);

  useEffect(() => {
    const first = state.another ? "message" : firstFault(state);
    if (state.sent) place.current?.focus();
    else if (first) focusField(first);
  }, [state]);

  async function onSubmit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (sending) return;
    const form = event.currentTarget;
    setState({ sending: true });
    try {
      const { sendFeedback } = await import("@/lib/feedback/send");
      setState(sendFeedback(new FormData(form)));
    } catch {
      // The code could not be loaded. Unless offline, the form is sent as without JavaScript.
      if (navigator.onLine) form.submit();
      else setState({ problem: "failed" });
    }
  }

  if (sent) {
    return (
      <div ref={place} tabIndex={-1} role="status" className={styles.thanks}>
        <p>{feedback.thanks}</p>
        <button
          type="button"
          className={`${buttons.button} ${buttons.quiet}`}
          onClick={() => setState({ another: true })}
        >
          {feedback.again}
        </button>
      </div>
    );
  }

  /** The attributes that connect a field with its label and its fault. */
  const field = (name: FeedbackField) => ({
    id: `feedback-${name}`,
    name,
    defaultValue: values[name],
    // For a page without JavaScript. With it, the effect moves the focus.
    autoFocus: firstFault(state) === name,
    "aria-invalid": faults[name] && true,
    "aria-describedby": faults[name] && `feedback-${name}-fault`,
  });
  const fault = (name: FeedbackField) => {
    const code = faults[name];
    return (
      code && (
        <p id={`feedback-${name}-fault`} className={fields.fault}>
          {feedback[code]}
        </p>
      )
    );
  };

  return (
    <form
      ref={place}
      className={styles.form}
      method="post"
      action={`${basePath}/api/feedback`}
      // The browser's own messages have another language, and show one fault at a time.
      noValidate
      aria-labelledby="feedback-heading"
      onSubmit={onSubmit}
    >
      <h2 id="feedback-heading">{feedback.heading}</h2>
      {reference && <p className={styles.note}>{feedback.note}</p>}
      <FeedbackProblem faults={faults} problem={problem} onPick={focusField} />
      <input type="hidden" name="locale" value={locale} />
      {reference && <input type="hidden" name="reference" value={reference} />}
      <div className={fields.field}>
        <label htmlFor="feedback-message">{feedback.message}</label>
        <textarea {...field("message")} rows={5} required />
        {fault("message")}
      </div>
      <div className={`${fields.field} ${styles.short}`}>
        <label htmlFor="feedback-name">{feedback.name}</label>
        <input {...field("name")} autoComplete="name" />
        {fault("name")}
      </div>
      <div className={`${fields.field} ${styles.short}`}>
        <label htmlFor="feedback-email">{feedback.email}</label>
        <input {...field("email")} type="email" dir="ltr" autoComplete="email" />
        {fault("email")}
      </div>
      <div className={styles.trap} aria-hidden="true">
        <label htmlFor="feedback-trap">{feedback.leaveEmpty}</label>
        <input id="feedback-trap" name={honeypot} tabIndex={-1} autoComplete="off" />
      </div>
      <button type="submit" className={buttons.button} aria-disabled={sending}>
        {sending ? feedback.sending : feedback.send}
      </button>
    </form>
  );
}

function firstFault({ faults = {} }: FeedbackOutcome): FeedbackField | undefined {
  return feedbackFields.find((name) => faults[name]);
}

function focusField(name: FeedbackField): void {
  document.getElementById(`feedback-${name}`)?.focus();
}
