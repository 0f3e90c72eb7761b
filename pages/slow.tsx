import { setTimeout } from "node:timers/promises";
import type { GetServerSideProps, InferGetServerSidePropsType } from "next";
import { z } from "zod";
import { Page } from "@/components/page";
import { ExampleLinks } from "@/components/placeholders/example-links";
import { useFormat } from "@/lib/messages/format";
import { usePageTexts } from "@/lib/messages/messages";

export default function Slow({
  renderedAt,
  ms,
}: InferGetServerSidePropsType<typeof getServerSideProps>) {
  const texts = usePageTexts("/slow");
  const format = useFormat();
  return (
    <Page rendering="server" renderedAt={renderedAt}>
      <p>{format(texts.waited, { count: ms })}</p>
      <ExampleLinks
        label={texts.durations}
        hrefs={["/slow?ms=100", "/slow?ms=1500", "/slow?ms=5000"]}
      />
    </Page>
  );
}

/** Milliseconds, held to 0–5000; anything that is not a number is 1500. */
const query = z.object({
  ms: z.coerce
    .number()
    .catch(1500)
    .default(1500)
    .transform((ms) => Math.min(5000, Math.max(0, ms))),
});

export const getServerSideProps = (async ({ query: given, res }) => {
  const { ms } = query.parse(given);
  const left = new AbortController();
  res.once("close", () => left.abort());
  await setTimeout(ms, undefined, { signal: left.signal }).catch((error) => {
    if (!left.signal.aborted) throw error;
  });
  return { props: { renderedAt: new Date().toISOString(), ms } };
}) satisfies GetServerSideProps;
