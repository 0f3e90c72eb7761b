import { setTimeout } from "node:timers/promises";
import type { GetServerSideProps, InferGetServerSidePropsType } from "next";
import { useRouter } from "next/router";
import { ExampleLinks } from "@/components/example-links";
import { Page } from "@/components/page";
import { format } from "@/lib/messages/format";
import { toLocale } from "@/lib/messages/locales";
import { useMessages } from "@/lib/messages/messages";
import { slowQuery } from "@/lib/navigation/params";
import { href } from "@/lib/navigation/routes";

export default function Slow({
  renderedAt,
  ms,
}: InferGetServerSidePropsType<typeof getServerSideProps>) {
  const { page } = useMessages();
  const { locale } = useRouter();
  return (
    <Page renderedAt={renderedAt}>
      <p>{format(toLocale(locale), page.waited, { count: ms })}</p>
      <ExampleLinks
        label={page.durations}
        hrefs={["100", "1500", "5000"].map((wait) => `${href("/slow")}?ms=${wait}`)}
      />
    </Page>
  );
}

export const getServerSideProps = (async ({ query, res }) => {
  const { ms } = slowQuery.parse(query);
  const left = new AbortController();
  res.once("close", () => left.abort());
  await setTimeout(ms, undefined, { signal: left.signal }).catch((error) => {
    if (!left.signal.aborted) throw error;
  });
  return { props: { renderedAt: new Date().toISOString(), ms } };
}) satisfies GetServerSideProps;
