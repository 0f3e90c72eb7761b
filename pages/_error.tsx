import type { NextPageContext } from "next";
import { ErrorView } from "@/components/error-view";
import { reportError } from "@/lib/reporting/known-errors";

interface Props {
  side: "server" | "browser";
  /** None where nothing failed here: the request itself was at fault. */
  reference?: string;
}

export default function ErrorPage({ side, reference }: Props) {
  return <ErrorView side={side} reference={reference} />;
}

ErrorPage.getInitialProps = async ({ err, req, res }: NextPageContext): Promise<Props> => {
  if (typeof window !== "undefined") {
    return { side: "browser", reference: reportError(err, "navigation") };
  }
  if (res && res.statusCode < 500) return { side: "server" };
  const { referenceOnErrorPage } = await import("@/lib/reporting/server/references");
  return { side: "server", reference: referenceOnErrorPage(err, req) };
};
