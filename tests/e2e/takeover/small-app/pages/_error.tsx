import * as Sentry from "@signpost/sentry";
import type { NextPageContext } from "next";

export default function ErrorPage({ reference }: { reference?: string }) {
  return <output>{reference}</output>;
}

ErrorPage.getInitialProps = async (context: NextPageContext) => {
  const reference = await Sentry.captureUnderscoreErrorException(context);
  return { reference: reference ?? null };
};
