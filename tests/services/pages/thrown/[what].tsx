import type { GetServerSideProps } from "next";

const things: Record<string, unknown> = {
  text: "A text is thrown on the server",
  object: { code: "E_THROWN", detail: "on the server" },
  null: null,
};

/** Never shown: the data function throws what its address names, which is no Error. */
export default function Thrown() {
  return null;
}

export const getServerSideProps = (async ({ params }) => {
  throw things[String(params?.what)];
}) satisfies GetServerSideProps;
