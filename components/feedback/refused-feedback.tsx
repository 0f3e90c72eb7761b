import { readFileSync } from "node:fs";
import { renderToStaticMarkup } from "react-dom/server";
import type { RefusedForm } from "@/lib/feedback/plain-form";
import { directionOf, textsOf, toLocale } from "@/lib/messages/locales";
import { MessagesContext } from "@/lib/messages/messages";
import { documentTitle } from "@/lib/messages/product-name";
import { basePath } from "@/lib/navigation/location";
import page from "../page.module.css";
import { Shell } from "../shell";
import { StaticRouter } from "../static-router";
import { FeedbackForm } from "./feedback-form";

const path = "/feedback";

/**
 * The page that a visitor without JavaScript gets when a form was refused: the same form, with what
 * was typed and what is wrong with it. Rendered outside Next, because Next answers a POST to a static
 * page without what was posted.
 *
 * @returns a whole HTML document, without scripts
 */
export async function refusedFeedbackPage({
  values,
  faults,
  problem,
  ...refused
}: RefusedForm): Promise<string> {
  const locale = toLocale(refused.locale);
  const messages = await textsOf(locale);
  const { title } = messages.pages[path];
  const document = (
    <html lang={locale} dir={directionOf(locale)}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>{documentTitle(title)}</title>
        {styleSheets().map((file) => (
          <link key={file} rel="stylesheet" href={`${basePath}/_next/${file}`} />
        ))}
        <link rel="icon" href={`${basePath}/icon.svg`} type="image/svg+xml" />
      </head>
      <body>
        <MessagesContext value={messages}>
          <StaticRouter pathname={path} locale={locale}>
            <Shell>
              <article className={page.page}>
                <h1 className={page.heading}>{title}</h1>
                <FeedbackForm
                  reference={faults?.reference ? undefined : values.reference}
                  outcome={{ faults, problem }}
                  values={values}
                />
              </article>
            </Shell>
          </StaticRouter>
        </MessagesContext>
      </body>
    </html>
  );
  return `<!DOCTYPE html>${renderToStaticMarkup(document)}`;
}

/** The style sheets of the page with the form, from the build's manifest; none without a build. */
function styleSheets(): string[] {
  let manifest: { pages: Record<string, string[] | undefined> };
  try {
    manifest = JSON.parse(readFileSync(".next/build-manifest.json", "utf8"));
  } catch {
    return [];
  }
  const files = ["/_app", path].flatMap((name) => manifest.pages[name] ?? []);
  return [...new Set(files.filter((file) => file.endsWith(".css")))];
}
