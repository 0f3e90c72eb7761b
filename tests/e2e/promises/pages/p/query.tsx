import { useRouter } from "next/router";

export default function Query() {
  return (
    <>
      <h1>Query</h1>
      <p data-testid="query">{JSON.stringify(useRouter().query)}</p>
    </>
  );
}

export const getStaticProps = async () => ({ props: {} });
