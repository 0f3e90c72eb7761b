import type { PageConfig } from "next";
import { answerForm } from "@/lib/app/answer-form";
import { addNote, notes } from "@/lib/app/notes";
import { apiRoute } from "@/lib/server/api-route";

export const config: PageConfig = { api: { bodyParser: { sizeLimit: "4kb" } } };

export default apiRoute({
  GET(_req, res) {
    res.status(200).json(notes());
  },
  POST(req, res) {
    const note = addNote(req.body);
    if (note) answerForm(req, res, "/notes", note);
    else res.status(400).json({ error: "note", detail: "A note has 1 to 80 characters of text." });
  },
});
