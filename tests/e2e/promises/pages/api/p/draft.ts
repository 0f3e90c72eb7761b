import type { NextApiHandler } from "next";

/** Draft mode on, or off with `?off`; then the long page. */
const handler: NextApiHandler = (request, response) => {
  response.setDraftMode({ enable: !("off" in request.query) });
  response.redirect("/p/long");
};

export default handler;
