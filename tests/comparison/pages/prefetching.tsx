import type { GetServerSideProps } from "next";
import Link from "next/link";

/** Its link is fetched ahead as soon as it is in view. */
export default function Prefetching() {
  return (
    <article>
      <h1>Prefetching</h1>
      <Link href="/compared/static">To a static page</Link>
    </article>
  );
}

export const getServerSideProps = (async () => ({ props: {} })) satisfies GetServerSideProps;
