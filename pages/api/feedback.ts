import type { PageConfig } from "next";
import { refusedFeedbackPage } from "@/components/feedback/refused-feedback";
import { configuredForm } from "@/lib/feedback/plain-form";
import { urlOf } from "@/lib/navigation/location";
import { apiRoute } from "@/lib/server/api-route";

/** The form reads the body itself, within its limits, and responds itself. */
export const config: PageConfig = { api: { bodyParser: false, externalResolver: true } };

const answers = {
  page: refusedFeedbackPage,
  thanks: (locale: string) => urlOf({ path: "/feedback#thanks", locale }),
};

export default apiRoute({
  POST: (req, res) => configuredForm(answers).handle(req, res),
});
