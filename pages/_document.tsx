import Document, {
  type DocumentContext,
  type DocumentInitialProps,
  Html,
  Main,
  NextScript,
} from "next/document";
import { PolicyHead } from "@/components/policy-head";
import { basePath } from "@/lib/config/public";
import { catalogue } from "@/lib/messages/catalogue";
import {
  defaultLocale,
  directionOf,
  isLocale,
  type Locale,
  locales,
} from "@/lib/messages/locales.js";
import { MessagesContext, messagesElementId } from "@/lib/messages/messages";
import { documentTitle, pageTexts } from "@/lib/messages/page-texts";
import type { TraceMeta } from "@/lib/reporting/server/shared";
import { traceMetaFor } from "@/lib/reporting/server/shared";

/** Written once: doing so for every request would be a twentieth of what a page costs. */
const writtenMessages = Object.fromEntries(
  locales.map((code) => [code, JSON.stringify(catalogue[code]).replaceAll("<", "\\u003c")]),
) as Record<Locale, string>;

interface Props extends DocumentInitialProps {
  language: Locale;
  /** The pattern of the page that its texts go by. */
  page: string;
  trace?: TraceMeta;
}

export default class AppDocument extends Document<Props> {
  static override async getInitialProps(ctx: DocumentContext): Promise<Props> {
    const language = isLocale(ctx.locale) ? ctx.locale : defaultLocale;
    const { renderPage } = ctx;
    ctx.renderPage = () =>
      renderPage({
        enhanceApp: (App) =>
          function AppInLanguage(props) {
            return (
              <MessagesContext value={catalogue[language]}>
                <App {...props} />
              </MessagesContext>
            );
          },
      });
    const trace = ctx.req && traceMetaFor(ctx.req);
    const page = ctx.res?.statusCode === 404 ? "/404" : ctx.pathname;
    return { ...(await Document.getInitialProps(ctx)), language, page, trace };
  }

  override render() {
    const { language, page, trace, __NEXT_DATA__ } = this.props;
    const messages = catalogue[language];
    // A page that is kept for others must not carry the trace of the request that made it.
    const own = __NEXT_DATA__.gsp ? undefined : trace;
    return (
      <Html lang={language} dir={directionOf(language)}>
        <PolicyHead>
          <DocumentTexts {...pageTexts(messages, page)} />
          <meta name="color-scheme" content="light dark" />
          {own && <meta name="sentry-trace" content={own.sentryTrace} />}
          {own?.baggage && <meta name="baggage" content={own.baggage} />}
          <link rel="icon" href={`${basePath}/icon.svg`} type="image/svg+xml" />
        </PolicyHead>
        <body>
          <Main />
          <script
            id={messagesElementId}
            type="application/json"
            // biome-ignore lint/security/noDangerouslySetInnerHtml: our own texts, with < escaped
            dangerouslySetInnerHTML={{
              __html: writtenMessages[language],
            }}
          />
          <NextScript />
        </body>
      </Html>
    );
  }
}

/** In a component of its own, since Next warns of a bare `<title>` here, meant for one page only. */
function DocumentTexts({ title, purpose }: { title: string; purpose: string }) {
  return (
    <>
      <title>{documentTitle(title)}</title>
      <meta name="description" content={purpose} />
    </>
  );
}
