import { useRouter } from "next/router";

export default function Dynamic() {
  return <h1>Dynamic {useRouter().query.id}</h1>;
}

export const getServerSideProps = async () => ({ props: {} });
