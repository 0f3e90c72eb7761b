import type { GetServerSideProps } from "next";

/** Never shown: the data function throws. */
export default function ServerData() {
  return null;
}

export const getServerSideProps = (async () => {
  throw new Error("Failed on purpose in getServerSideProps");
}) satisfies GetServerSideProps;
