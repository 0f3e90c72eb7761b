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
import { directionOf, type Locale, locales, textsOf, toLocale } from "@/lib/messages/locales";
import { MessagesContext } from "@/lib/messages/messages";
import { type Addresses, addressesOf, basePath, siteOrigin } from "@/lib/navigation/location";
import { isDynamic } from "@/lib/navigation/pattern";

/** Each text once: for every request, it would be a twentieth of the cost of a page. */
const serialized = new Map<unknown, string>();

function serialize(value: unknown): string {
  const text = serialized.get(value) ?? JSON.stringify(value).replaceAll("<", "\\u003c");
  serialized.set(value, text);
  return text;
}

/** The texts for every page, and those of the pages that were asked for: null where there are none. */
function serializeTexts({ pages, ...groups }: Messages, asked: Set<string>): string {
  const own = [...asked].map(
    (page) => `${serialize(page)}:${serialize(Reflect.get(pages, page) ?? null)}`,
  );
  const shared = Object.entries(groups).map(([name, group]) => `"${name}":${serialize(group)}`);
  return `{${shared.join(",")},"pages":{${own.join(",")}}}`;
}

// Now, and not with the first error: then their files may not be readable any more.
for (const locale of locales) void textsOf(locale).catch(() => {});

interface Props extends DocumentInitialProps {
  language: Locale;
  messages: string;
  addresses?: Addresses;
  trace?: ReturnType<typeof currentTraceMeta>;
}

export default class AppDocument extends Document<Props> {
  static override async getInitialProps(ctx: DocumentContext): Promise<Props> {
    const language = toLocale(ctx.locale);
    const texts = await textsOf(language);
    // Pages that may come in place of this one, without any other script.
    const asked = new Set(["/_error", "/404", ctx.pathname]);
    const pages = new Proxy(texts.pages, {
      get: (all, page: string) => Reflect.get(all, asked.add(page) && page),
    });
    const messages: Messages = { ...texts, pages };
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
    const rendered = await Document.getInitialProps(ctx);
    return {
      ...rendered,
      language,
      // Now that the page is rendered: what it has asked for, the browser asks for as well.
      messages: serializeTexts(texts, asked),
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
