import type { GetServerSideProps } from "next";

export const getServerSideProps: GetServerSideProps = async ({ params }) => {
  if (params?.slug === "broken") throw new Error("server data");
  return { props: { slug: String(params?.slug) } };
};

function leave() {
  setTimeout(() => location.assign("/?left"));
  throw new Error("left");
}

export default function Post({ slug }: { slug: string }) {
  return (
    <main>
      <h1>{slug}</h1>
      <button type="button" onClick={leave}>
        left
      </button>
    </main>
  );
}
