import { FeedbackForm } from "@/components/feedback-form";
import { Page } from "@/components/page";

export default function Feedback() {
  return (
    <Page>
      <FeedbackForm />
    </Page>
  );
}
