import type { NextPageContext } from "next";
import { ErrorView } from "@/components/error-view";
import { reportError } from "@/lib/reporting/early";

interface Props {
  side: "server" | "browser";
  reference: string;
}

export default function ErrorPage({ side, reference }: Props) {
  return <ErrorView side={side} reference={reference} />;
}

ErrorPage.getInitialProps = async ({ err }: NextPageContext): Promise<Props> => {
  if (typeof window !== "undefined") {
    return { side: "browser", reference: reportError(err, "navigation") };
  }
  const { referenceFor } = await import("@/lib/reporting/server/reference");
  return { side: "server", reference: referenceFor(err) };
};
