import type { NextPageContext } from "next";
import { ErrorView } from "@/components/error-view";
import { WrongAddress } from "@/components/wrong-address";
import { captureException } from "@/lib/sentry/browser/first-load/report-error";
import { toLocale } from "@/lib/site/messages/locales";
import { urlOf } from "@/lib/site/routes/location";

/**
 * Loaded with this page when the server starts, not with the first error: if the file can't be read
 * then, such as where too many are open, Turbopack remembers the failure for ever.
 */
const reporting =
  typeof window === "undefined"
    ? Promise.all([
        import("@/lib/sentry/server/references"),
        import("@/lib/sentry/server/reports-under-way"),
      ])
    : undefined;

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
  if (!reporting) {
    return { side: "browser", reference: captureException(err, "navigation") };
  }
  const [{ referenceOnErrorPage }, { reportStored }] = await reporting;
  const reference = referenceOnErrorPage(err);
  await reportStored(reference);
  return { side: "server", reference };
};

/** The requested path as the address bar shows it, without the query. */
function requestedPath({ asPath = "/", locale }: NextPageContext): string {
  return urlOf({
    path: asPath.replace(/[?#].*/s, ""),
    locale: toLocale(locale),
  });
}
