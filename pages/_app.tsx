import "@/components/base.css";
import type { AppProps } from "next/app";
import { ErrorBoundary } from "@/components/error-boundary";
import { Shell } from "@/components/shell";
import { MessagesProvider } from "@/lib/messages/messages";

export default function App({ Component, pageProps, router }: AppProps) {
  return (
    <MessagesProvider>
      <Shell>
        <ErrorBoundary place={router.asPath}>
          <Component {...pageProps} />
        </ErrorBoundary>
      </Shell>
    </MessagesProvider>
  );
}
