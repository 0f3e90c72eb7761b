import * as Sentry from "@signpost/sentry";
import type { NextPageContext } from "next";
import { ErrorView } from "@/components/error-view";
import { WrongAddress } from "@/components/wrong-address";
import { urlOf } from "@/lib/navigation/location";

type Props = { side: "server" | "browser"; reference: string } | { path?: string };

/**
 * The page for failures and for missing pages. There is no static 404 page: it could not show the
 * requested path without JavaScript.
 */
export default function ErrorPage(props: Props) {
  return "reference" in props ? <ErrorView {...props} /> : <WrongAddress {...props} />;
}

ErrorPage.getInitialProps = async (context: NextPageContext): Promise<Props> => {
  const { err, res } = context;
  if (!err && (!res || res.statusCode === 404)) return { path: requestedPath(context) };
  if (res && res.statusCode < 500) return {};
  const reference = (await Sentry.captureUnderscoreErrorException(context)) ?? "";
  return { side: res ? "server" : "browser", reference };
};

/** The requested path as the address bar shows it, without the query. */
function requestedPath({ asPath = "/", locale }: NextPageContext): string {
  return urlOf({ path: asPath.replace(/[?#].*/s, ""), locale });
}
