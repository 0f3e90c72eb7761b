import type { PageConfig } from "next";
import { answerForm } from "@/lib/app/answer-form";
import { removeNote } from "@/lib/app/notes";
import { apiRoute } from "@/lib/server/api-route";

export const config: PageConfig = { api: { bodyParser: { sizeLimit: "4kb" } } };

/** Forms know GET and POST alone, so removing is a POST. */
export default apiRoute({
  POST(req, res) {
    answerForm(req, res, "/notes", { removed: removeNote(req.query.id) });
  },
});
