import type { GetServerSideProps, InferGetServerSidePropsType } from "next";
import { Page } from "@/components/page";

export default function Server({
  renderedAt,
}: InferGetServerSidePropsType<typeof getServerSideProps>) {
  return <Page rendering="server" renderedAt={renderedAt} />;
}

export const getServerSideProps = (async () => ({
  props: { renderedAt: new Date().toISOString() },
})) satisfies GetServerSideProps;
