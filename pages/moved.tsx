import type { GetServerSideProps } from "next";
import { localized } from "@/lib/navigation/location";
import { href } from "@/lib/navigation/routes";

/** Never shown: the data function redirects. */
export default function Moved() {
  return null;
}

export const getServerSideProps = (async ({ locale }) => ({
  redirect: { destination: localized(href("/server"), locale), permanent: false },
})) satisfies GetServerSideProps;
