import type { NextApiRequest, NextApiResponse } from "next";

export default function handler(_request: NextApiRequest, _response: NextApiResponse) {
  throw new Error("API");
}
