import type { GetServerSideProps, InferGetServerSidePropsType } from "next";
import { ExampleLinks } from "@/components/example-links";
import { Page } from "@/components/page";
import { useMessages } from "@/lib/messages/messages";
import { params } from "@/lib/navigation/params";
import { href } from "@/lib/navigation/routes";

export default function Dynamic({
  renderedAt,
}: InferGetServerSidePropsType<typeof getServerSideProps>) {
  return (
    <Page renderedAt={renderedAt}>
      <ExampleLinks
        label={useMessages().page.otherPaths}
        hrefs={["a-1", "b_2", "c3"].map((id) => href("/dynamic/[id]", { id }))}
      />
    </Page>
  );
}

export const getServerSideProps = (async (context) => {
  if (!params["/dynamic/[id]"].safeParse(context.params).success) return { notFound: true };
  return { props: { renderedAt: new Date().toISOString() } };
}) satisfies GetServerSideProps;
