import type { GetServerSideProps, InferGetServerSidePropsType } from "next";
import { z } from "zod";
import { Page } from "@/components/page";
import { ExampleLinks } from "@/components/placeholders/example-links";
import { usePageTexts } from "@/lib/messages/messages";

export default function Dynamic({
  renderedAt,
}: InferGetServerSidePropsType<typeof getServerSideProps>) {
  return (
    <Page rendering="server" renderedAt={renderedAt}>
      <ExampleLinks
        label={usePageTexts("/dynamic/[id]").otherPaths}
        hrefs={["/dynamic/a-1", "/dynamic/b_2", "/dynamic/c3"]}
      />
    </Page>
  );
}

const params = z.object({ id: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/) });

export const getServerSideProps = (async (context) => {
  if (!params.safeParse(context.params).success) return { notFound: true };
  return { props: { renderedAt: new Date().toISOString() } };
}) satisfies GetServerSideProps;
