import type { GetServerSideProps } from "next";

/** Rendered for each request. */
export default function Server({ id }: { id: string }) {
  return (
    <article>
      <h1>{id}</h1>
    </article>
  );
}

export const getServerSideProps = (async ({ params }) => ({
  props: { id: String(params?.id) },
})) satisfies GetServerSideProps<{ id: string }>;
