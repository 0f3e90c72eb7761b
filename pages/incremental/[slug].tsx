import type { GetStaticPaths, GetStaticProps, InferGetStaticPropsType } from "next";
import { useRouter } from "next/router";
import { ExampleLinks } from "@/components/example-links";
import { Page } from "@/components/page";
import { hasLocalePrefixes, locales } from "@/lib/messages/locales";
import { useMessages } from "@/lib/messages/messages";
import { params } from "@/lib/navigation/params";
import { href } from "@/lib/navigation/routes";

export default function Incremental({
  renderedAt,
}: Partial<InferGetStaticPropsType<typeof getStaticProps>>) {
  const { page } = useMessages();
  const { isFallback } = useRouter();
  return (
    <Page renderedAt={renderedAt}>
      {isFallback ? (
        <p role="status">{page.preparing}</p>
      ) : (
        <ExampleLinks
          label={page.otherSlugs}
          hrefs={["alpha", "beta", "gamma"].map((slug) => href("/incremental/[slug]", { slug }))}
        />
      )}
    </Page>
  );
}

export const getStaticPaths = (() => ({
  paths: locales.flatMap((locale) =>
    ["alpha", "beta"].map((slug) => ({
      params: { slug },
      locale: hasLocalePrefixes ? locale : undefined,
    })),
  ),
  fallback: true,
})) satisfies GetStaticPaths;

export const getStaticProps = (async (context) => {
  const { success } = params["/incremental/[slug]"].safeParse(context.params);
  if (!success) return { notFound: true, revalidate: 60 };
  return { props: { renderedAt: new Date().toISOString() }, revalidate: 60 };
}) satisfies GetStaticProps;
