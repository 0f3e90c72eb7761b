import type { GetStaticPaths, GetStaticProps, InferGetStaticPropsType } from "next";
import { useRouter } from "next/router";
import { z } from "zod";
import { Page } from "@/components/page";
import { ExampleLinks } from "@/components/placeholders/example-links";
import { hasLocalePrefixes, locales } from "@/lib/messages/locales";
import { usePageTexts } from "@/lib/messages/messages";

export default function Incremental({
  renderedAt,
}: Partial<InferGetStaticPropsType<typeof getStaticProps>>) {
  const texts = usePageTexts("/incremental/[slug]");
  const { isFallback } = useRouter();
  return (
    <Page rendering="incremental" renderedAt={renderedAt}>
      {isFallback ? (
        <p role="status">{texts.preparing}</p>
      ) : (
        <ExampleLinks
          label={texts.otherSlugs}
          hrefs={["/incremental/alpha", "/incremental/beta", "/incremental/gamma"]}
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

const params = z.object({ slug: z.string().min(1).max(200) });

export const getStaticProps = (async (context) => {
  const { success } = params.safeParse(context.params);
  if (!success) return { notFound: true, revalidate: 60 };
  return { props: { renderedAt: new Date().toISOString() }, revalidate: 60 };
}) satisfies GetStaticProps;
