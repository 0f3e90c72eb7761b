import { FeedbackForm } from "@/components/feedback/feedback-form";
import { FeedbackThanks } from "@/components/feedback/feedback-thanks";
import { usePageTexts } from "@/lib/messages/messages";

export default function Feedback() {
  const { title, purpose } = usePageTexts("/feedback");
  return (
    <article>
      <h1>{title}</h1>
      <p>{purpose}</p>
      <FeedbackThanks>
        <FeedbackForm />
      </FeedbackThanks>
    </article>
  );
}
