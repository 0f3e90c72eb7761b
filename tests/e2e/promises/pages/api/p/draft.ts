import type { NextApiHandler } from "next";

/** Draft mode on, or off with `?off`; then the page at the address `to`. */
const handler: NextApiHandler = (request, response) => {
  response.setDraftMode({ enable: !("off" in request.query) });
  response.redirect(String(request.query.to));
};

export default handler;
