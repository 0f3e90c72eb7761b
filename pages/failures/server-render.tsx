import type { GetServerSideProps } from "next";

/** Throws wherever it is rendered: on the server for a hard navigation, in the browser on the way here. */
export default function ServerRender(): never {
  throw new Error("Failed on purpose while rendering");
}

export const getServerSideProps = (async () => ({ props: {} })) satisfies GetServerSideProps;
