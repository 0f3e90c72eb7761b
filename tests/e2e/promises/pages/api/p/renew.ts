import type { NextApiHandler } from "next";

/** Publishes another version of the incremental page, whose path is `page`, with the base path. */
const handler: NextApiHandler = async (request, response) => {
  const all = globalThis as { value?: number };
  all.value = (all.value ?? 1) + 1;
  await response.revalidate(String(request.query.page));
  response.json(all.value);
};

export default handler;
