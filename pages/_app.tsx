import "@/components/base.css";
import type { AppProps } from "next/app";
import { DocumentTitle } from "@/components/document-title";
import { ErrorBoundary } from "@/components/error-boundary";
import { Shell } from "@/components/shell";
import { defaultLocale, isLocale } from "@/lib/messages/locales.js";
import { MessagesProvider } from "@/lib/messages/messages";
import { RouteContext } from "@/lib/navigation/route";

export default function App({ Component, pageProps, router }: AppProps) {
  const { pathname, asPath, isFallback, locale } = router;
  const place = asPath.replace(/#.*/, "");
  return (
    <RouteContext
      value={{ pathname, asPath, isFallback, locale: isLocale(locale) ? locale : defaultLocale }}
    >
      <MessagesProvider>
        <DocumentTitle />
        {/* One within the shell, which outlives a page's failure, and one for the shell itself. */}
        <ErrorBoundary place={place}>
          <Shell>
            <ErrorBoundary place={place}>
              <Component {...pageProps} />
            </ErrorBoundary>
          </Shell>
        </ErrorBoundary>
      </MessagesProvider>
    </RouteContext>
  );
}
