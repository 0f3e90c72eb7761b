import type { GetServerSideProps } from "next";

/** Never shown: the data function says that there is no such page. */
export default function Missing() {
  return null;
}

export const getServerSideProps = (async () => ({ notFound: true })) satisfies GetServerSideProps;
