import type { TraceMeta } from "@signpost/sentry/document";
import { currentTraceMeta } from "@signpost/sentry/document";
import Document, {
  type DocumentContext,
  type DocumentInitialProps,
  Html,
  Main,
  NextScript,
} from "next/document";
import { PolicyHead } from "@/components/policy-head";
import { messagesElementId } from "@/components/use-loaded-messages";
import type { Messages } from "@/lib/messages/en";
import { directionOf, type Locale, textsOf, toLocale } from "@/lib/messages/locales";
import { MessagesContext } from "@/lib/messages/messages";
import { type Addresses, addressesOf, basePath, siteOrigin } from "@/lib/navigation/location";
import { isDynamic } from "@/lib/navigation/pattern";

/** Serialized once: for every request, it would be a twentieth of the cost of a page. */
const serialized = new Map<Messages, string>();

function serialize(messages: Messages): string {
  const text = serialized.get(messages) ?? JSON.stringify(messages).replaceAll("<", "\\u003c");
  serialized.set(messages, text);
  return text;
}

interface Props extends DocumentInitialProps {
  language: Locale;
  messages: string;
  addresses?: Addresses;
  trace?: TraceMeta;
}

export default class AppDocument extends Document<Props> {
  static override async getInitialProps(ctx: DocumentContext): Promise<Props> {
    const language = toLocale(ctx.locale);
    const messages = await textsOf(language);
    const { renderPage } = ctx;
    ctx.renderPage = () =>
      renderPage({
        enhanceApp: (App) =>
          function AppInLanguage(props) {
            return (
              <MessagesContext value={messages}>
                <App {...props} />
              </MessagesContext>
            );
          },
      });
    const trace = ctx.res && currentTraceMeta(ctx.res.getHeaders());
    return {
      ...(await Document.getInitialProps(ctx)),
      language,
      messages: serialize(messages),
      addresses: knownAddresses(ctx, language),
      trace,
    };
  }

  override render() {
    const { language, messages, addresses, trace, __NEXT_DATA__, isDevelopment } = this.props;
    // A prerendered page is served to others too: it must not carry the trace of this request.
    const ownTrace = __NEXT_DATA__.gsp ? undefined : trace;
    // Hot reloading adds an inline script whose text is not known here.
    const developmentNonce = isDevelopment ? "development" : undefined;
    return (
      <Html lang={language} dir={directionOf(language)}>
        <PolicyHead nonce={developmentNonce}>
          <meta name="color-scheme" content="light dark" />
          {ownTrace && <meta name="sentry-trace" content={ownTrace.sentryTrace} />}
          {ownTrace?.baggage && <meta name="baggage" content={ownTrace.baggage} />}
          {addresses && <link rel="canonical" href={addresses.canonical} />}
          {Object.entries(addresses?.alternates ?? {}).map(([code, address]) => (
            <link key={code} rel="alternate" hrefLang={code} href={address} />
          ))}
          <link rel="icon" href={`${basePath}/icon.svg`} type="image/svg+xml" />
        </PolicyHead>
        <body>
          <Main />
          <script
            id={messagesElementId}
            type="application/json"
            // biome-ignore lint/security/noDangerouslySetInnerHtml: our own texts, with < escaped
            dangerouslySetInnerHTML={{ __html: messages }}
          />
          <NextScript nonce={developmentNonce} />
        </body>
      </Html>
    );
  }
}

/** An error page has no address of its own, and a prerendered page may not know its parameters. */
function knownAddresses({ pathname, asPath = pathname }: DocumentContext, language: Locale) {
  const isKnown =
    !/^\/(_|404$|500$)/.test(pathname) && !(isDynamic(pathname) && asPath === pathname);
  return siteOrigin && isKnown ? addressesOf(siteOrigin, asPath, language) : undefined;
}
