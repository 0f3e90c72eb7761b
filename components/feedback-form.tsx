import { basePath } from "@/lib/config/public";
import { useMessages } from "@/lib/messages/messages";
import { useRoute } from "@/lib/navigation/route";
import buttons from "./button.module.css";
import styles from "./feedback-form.module.css";

/**
 * Tells the team what happened, in the visitor's words.
 *
 * @param props.reference the event it belongs to; none for feedback on its own
 */
export function FeedbackForm({ reference }: { reference?: string }) {
  const { feedback } = useMessages();
  const { locale } = useRoute();
  return (
    <form className={styles.form} method="post" action={`${basePath}/api/feedback`}>
      <h2>{feedback.heading}</h2>
      <input type="hidden" name="locale" value={locale} />
      {reference && <input type="hidden" name="reference" value={reference} />}
      <label>
        <span>{feedback.message}</span>
        <textarea name="message" rows={4} maxLength={4000} required />
      </label>
      <label>
        <span>{feedback.name}</span>
        <input name="name" maxLength={100} autoComplete="name" />
      </label>
      <label>
        <span>{feedback.email}</span>
        <input name="email" type="email" maxLength={254} autoComplete="email" />
      </label>
      <button type="submit" className={buttons.button}>
        {feedback.send}
      </button>
    </form>
  );
}
