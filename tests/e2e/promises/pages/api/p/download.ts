import type { NextApiHandler } from "next";

const handler: NextApiHandler = (_request, response) => {
  response.setHeader("Content-Disposition", "attachment; filename=file.txt");
  response.send("A file");
};

export default handler;
