import "@/components/base.css";
import type { AppProps } from "next/app";
import { DocumentTitle } from "@/components/document-title";
import { ErrorBoundary } from "@/components/error-boundary";
import { Shell } from "@/components/shell";
import { defaultLocale, isLocale } from "@/lib/messages/locales";
import { MessagesProvider } from "@/lib/messages/messages";
import { RouteContext } from "@/lib/navigation/route";

export default function App({ Component, pageProps, router }: AppProps) {
  const { pathname, asPath, isFallback, locale } = router;
  return (
    <RouteContext
      value={{ pathname, asPath, isFallback, locale: isLocale(locale) ? locale : defaultLocale }}
    >
      <MessagesProvider>
        <DocumentTitle />
        <Shell>
          <ErrorBoundary place={asPath.replace(/#.*/, "")}>
            <Component {...pageProps} />
          </ErrorBoundary>
        </Shell>
      </MessagesProvider>
    </RouteContext>
  );
}
