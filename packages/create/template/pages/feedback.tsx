import { FeedbackForm } from "@/components/feedback/feedback-form";
import { FeedbackThanks } from "@/components/feedback/feedback-thanks";
import { Page } from "@/components/page";

export default function Feedback() {
  return (
    <Page>
      <FeedbackThanks>
        <FeedbackForm />
      </FeedbackThanks>
    </Page>
  );
}
