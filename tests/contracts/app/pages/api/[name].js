// biome-ignore-all lint/style/noDefaultExport: a route
// biome-ignore-all lint/style/useFilenamingConvention: a dynamic route
import { note } from "../../notes.js";

/**
 * @param {import("next").NextApiRequest} req
 * @param {import("next").NextApiResponse} res
 */
export default function handler(req, res) {
  if (req.query.name === "upstream") {
    throw Object.assign(new Error("no such charge"), { statusCode: 404 });
  }
  note("api");
  res.status(200).json({});
}
