import type { NextApiHandler } from "next";

/** Publishes another version of the incremental page. */
const handler: NextApiHandler = async (_request, response) => {
  const all = globalThis as { value?: number };
  all.value = (all.value ?? 1) + 1;
  await response.revalidate("/p/isr");
  response.json(all.value);
};

export default handler;
