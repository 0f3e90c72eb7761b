import type { GetServerSideProps } from "next";
import { href } from "@/lib/routes/routes";

/** Never shown: the data function redirects. */
export default function Moved() {
  return null;
}

export const getServerSideProps = (async ({ locale, defaultLocale }) => ({
  redirect: {
    destination: `${locale === defaultLocale ? "" : `/${locale}`}${href("/server")}`,
    permanent: false,
  },
})) satisfies GetServerSideProps;
