import type { GetServerSideProps } from "next";

/** Fails while the server renders it. */
export default function FailingRender(): never {
  throw new Error("A page fails on the server");
}

export const getServerSideProps = (async () => ({ props: {} })) satisfies GetServerSideProps;
