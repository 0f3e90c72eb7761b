import type { GetServerSideProps, InferGetServerSidePropsType } from "next";
import { z } from "zod";
import { Page } from "@/components/page";
import { ExampleLinks } from "@/components/placeholders/example-links";
import { usePageTexts } from "@/lib/messages/messages";

export default function CatchAll({
  renderedAt,
}: InferGetServerSidePropsType<typeof getServerSideProps>) {
  return (
    <Page rendering="server" renderedAt={renderedAt}>
      <ExampleLinks
        label={usePageTexts("/catch-all/[...path]").otherPaths}
        hrefs={[
          "/catch-all/one",
          "/catch-all/one/two/three",
          "/catch-all/with%20space/with%2Fslash/%C3%BC",
        ]}
      />
    </Page>
  );
}

const params = z.object({ path: z.array(z.string()).min(1) });

export const getServerSideProps = (async (context) => {
  if (!params.safeParse(context.params).success) return { notFound: true };
  return { props: { renderedAt: new Date().toISOString() } };
}) satisfies GetServerSideProps;
