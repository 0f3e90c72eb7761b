import type { GetStaticProps } from "next";
import Link from "next/link";

/** Made by the build. Its second link is fetched ahead. */
export default function Static() {
  return (
    <article>
      <h1>Static</h1>
      <Link id="to-server" href="/compared/server/navigated" prefetch={false}>
        To a page that the server renders
      </Link>
      <Link id="to-effect" href="/compared/failing/effect" prefetch={false}>
        To a page that fails
      </Link>
    </article>
  );
}

export const getStaticProps = (async () => ({
  props: { made: "by the build" },
})) satisfies GetStaticProps;
