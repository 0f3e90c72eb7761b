import type { NextPageContext } from "next";

/** Has its data from the older data function. */
export default function Initial({ id }: { id: string }) {
  return (
    <article>
      <h1>{id}</h1>
    </article>
  );
}

Initial.getInitialProps = async ({ query }: NextPageContext) => ({ id: String(query.id) });
