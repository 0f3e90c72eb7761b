import type { GetStaticProps, InferGetStaticPropsType } from "next";
import { Page } from "@/components/page";

export default function Static({ renderedAt }: InferGetStaticPropsType<typeof getStaticProps>) {
  return <Page rendering="static" renderedAt={renderedAt} />;
}

export const getStaticProps = (async () => ({
  props: { renderedAt: new Date().toISOString() },
})) satisfies GetStaticProps;
