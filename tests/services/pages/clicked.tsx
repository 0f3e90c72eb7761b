import type { GetServerSideProps } from "next";

/** Never shown: a link leads here, and the data function throws. */
export default function Clicked() {
  return null;
}

export const getServerSideProps = (async () => {
  throw new Error("Failed behind a link");
}) satisfies GetServerSideProps;
