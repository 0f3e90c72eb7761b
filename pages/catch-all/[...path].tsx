import type { GetServerSideProps, InferGetServerSidePropsType } from "next";
import { ExampleLinks } from "@/components/example-links";
import { Page } from "@/components/page";
import { useMessages } from "@/lib/messages/messages";
import { params } from "@/lib/navigation/params";
import { href } from "@/lib/navigation/routes";

export default function CatchAll({
  renderedAt,
}: InferGetServerSidePropsType<typeof getServerSideProps>) {
  return (
    <Page renderedAt={renderedAt}>
      <ExampleLinks
        label={useMessages().page.otherPaths}
        hrefs={[
          href("/catch-all/[...path]", { path: ["one"] }),
          href("/catch-all/[...path]", { path: ["one", "two", "three"] }),
          href("/catch-all/[...path]", { path: ["with space", "with/slash", "ü"] }),
        ]}
      />
    </Page>
  );
}

export const getServerSideProps = (async (context) => {
  if (!params["/catch-all/[...path]"].safeParse(context.params).success) return { notFound: true };
  return { props: { renderedAt: new Date().toISOString() } };
}) satisfies GetServerSideProps;
