import type { NextApiRequest, NextApiResponse } from "next";

export default function handler({ method, url, body }: NextApiRequest, response: NextApiResponse) {
  response.send(`${method} ${url} ${body}`);
}
