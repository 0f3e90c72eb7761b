import type { NextApiRequest, NextApiResponse } from "next";

export default function answering(request: NextApiRequest, response: NextApiResponse) {
  response.json({ id: request.query.id });
}
