import type { GetServerSideProps } from "next";
import { localized } from "@/lib/navigation/location";

/** Never shown: the data function redirects. */
export default function Moved() {
  return null;
}

export const getServerSideProps = (async ({ locale }) => ({
  redirect: { destination: localized("/server", locale), permanent: false },
})) satisfies GetServerSideProps;
