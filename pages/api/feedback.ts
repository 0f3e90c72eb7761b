import type { PageConfig } from "next";
import { refusedFeedbackPage } from "@/components/feedback/refused-feedback";
import { feedbackIntake } from "@/lib/feedback/intake-singleton";
import { apiRoute } from "@/lib/server/api-route";

/** The intake reads the body itself, within its limits, and responds itself. */
export const config: PageConfig = { api: { bodyParser: false, externalResolver: true } };

export default apiRoute({
  POST: (req, res) => feedbackIntake(refusedFeedbackPage).handle(req, res),
});
