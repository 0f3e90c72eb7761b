import Document, {
  type DocumentContext,
  type DocumentInitialProps,
  Html,
  Main,
  NextScript,
} from "next/document";
import { PolicyHead } from "@/components/policy-head";
import { basePath } from "@/lib/config/public";
import { ar } from "@/lib/messages/ar";
import { de } from "@/lib/messages/de";
import { en, type Messages } from "@/lib/messages/en";
import { defaultLocale, directionOf, isLocale, type Locale } from "@/lib/messages/locales";
import { MessagesContext, messagesElementId } from "@/lib/messages/messages";

const catalogue: Record<Locale, Messages> = { en, de, ar };

interface Props extends DocumentInitialProps {
  language: Locale;
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
    return { ...(await Document.getInitialProps(ctx)), language };
  }

  override render() {
    const { language } = this.props;
    return (
      <Html lang={language} dir={directionOf(language)}>
        <PolicyHead>
          <meta name="color-scheme" content="light dark" />
          <link rel="icon" href={`${basePath}/icon.svg`} type="image/svg+xml" />
        </PolicyHead>
        <body>
          <Main />
          <script
            id={messagesElementId}
            type="application/json"
            // biome-ignore lint/security/noDangerouslySetInnerHtml: our own texts, with < escaped
            dangerouslySetInnerHTML={{
              __html: JSON.stringify(catalogue[language]).replaceAll("<", "\\u003c"),
            }}
          />
          <NextScript />
        </body>
      </Html>
    );
  }
}
