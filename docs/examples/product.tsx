import type { GetServerSideProps, InferGetServerSidePropsType } from "next";
import { PageHead } from "@/components/page-head";

const names = new Map([["1", "Lamp"]]);

export default function Product({ name }: InferGetServerSidePropsType<typeof getServerSideProps>) {
  return (
    <article>
      <PageHead title={name} />
      <h1>{name}</h1>
    </article>
  );
}

export const getServerSideProps = (async ({ params }) => {
  const name = names.get(String(params?.id));
  return name ? { props: { name } } : { notFound: true };
}) satisfies GetServerSideProps<{ name: string }>;
