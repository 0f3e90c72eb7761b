// biome-ignore-all lint/style/noDefaultExport: a route
// biome-ignore-all lint/style/useFilenamingConvention: a dynamic route
import { note } from "../../notes.js";

/**
 * @param {import("next").NextApiRequest} _req
 * @param {import("next").NextApiResponse} res
 */
export default function handler(_req, res) {
  note("api");
  res.status(200).json({});
}
