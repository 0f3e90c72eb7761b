import { z } from "zod";

/** What a URL may hold where a pattern leaves it open. Server only: zod is not for the browser. */
export const params = {
  "/incremental/[slug]": z.object({ slug: z.string().min(1).max(200) }),
  "/dynamic/[id]": z.object({ id: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/) }),
  "/catch-all/[...path]": z.object({ path: z.array(z.string()).min(1) }),
};

/** How long `/slow` takes: milliseconds, held to 0–5000; anything that is not a number is 1500. */
export const slowQuery = z.object({
  ms: z.coerce
    .number()
    .catch(1500)
    .default(1500)
    .transform((ms) => Math.min(5000, Math.max(0, ms))),
});
