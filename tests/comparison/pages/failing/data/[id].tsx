import * as Sentry from "@signpost/sentry";
import type { GetServerSideProps } from "next";

/** Never shown: its data function throws. */
export default function FailingData() {
  return null;
}

export const getServerSideProps = (async () => {
  Sentry.setTag("of-one-request", "yes");
  throw new Error("A data function fails");
}) satisfies GetServerSideProps;
