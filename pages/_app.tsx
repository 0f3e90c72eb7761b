import "@/components/base.css";
import type { AppProps } from "next/app";
import { PageErrorBoundary } from "@/components/page-error-boundary";
import { PageHead } from "@/components/page-head";
import { Shell } from "@/components/shell";
import { useLoadedMessages } from "@/components/use-loaded-messages";
import { toLocale } from "@/lib/messages/locales";
import { MessagesContext, pageNames } from "@/lib/messages/messages";

export default function App({ Component, pageProps, router }: AppProps) {
  const { pathname, asPath, locale, isReady } = router;
  const messages = useLoadedMessages(toLocale(locale), pathname);
  const { title = pathname, purpose = messages.shell.about } = pageNames(messages, pathname);
  // A prerendered page learns its URL after hydration.
  const pageUrl = isReady ? `/${locale}${asPath.replace(/#.*/, "")}` : undefined;
  return (
    <MessagesContext value={messages}>
      {/* Before the page, so that the page's own title replaces this one: see PageHead. */}
      <PageHead title={title} description={purpose} />
      {/* The inner boundary keeps the shell when a page fails; the outer one is for the shell. */}
      <PageErrorBoundary pageUrl={pageUrl}>
        <Shell>
          <PageErrorBoundary pageUrl={pageUrl}>
            <Component {...pageProps} />
          </PageErrorBoundary>
        </Shell>
      </PageErrorBoundary>
    </MessagesContext>
  );
}
