import type { ReactElement } from "react";
import type { Shown } from "../page-answers.ts";
import { listHref } from "../views/hrefs.ts";
import type { ErrorView, ListView, VisitView } from "../views/page-data.ts";
import { type Fault, texts } from "../views/texts.ts";
import { ErrorReport } from "./error-report.tsx";
import { Empty } from "./inbox-page.tsx";
import { ReportList } from "./report-list.tsx";
import { headlineOf, onPage, type Page } from "./values.tsx";
import { VisitReport } from "./visit-report.tsx";

/** What every page of an app's inbox shares. */
interface Site {
  basePath: string;
  title: string;
  /** URLs of its two files. */
  style: string;
  script: string;
}

/**
 * @param site.url of the page, with base path
 * @returns the whole document
 */
export function pageDocument(
  { view, now }: Shown<ListView | ErrorView | VisitView>,
  { url, ...site }: Site & { url: string },
): Promise<string> {
  const page = { now, url, basePath: site.basePath };
  return documentOf(`${titleOf(view)} · ${site.title}`, site, {
    page,
    body: bodyOf(view, site.title),
  });
}

/**
 * @param url what was asked, without base path
 * @returns a page about a request that could not be answered
 */
export function faultDocument(fault: Fault, url: string, site: Site): Promise<string> {
  const found = texts.faults[fault];
  const errors = listHref("errors");
  // What is tried again may hold the token, or a view.
  const hrefs = { denied: "/", "not-found": errors, failed: errors, away: url };
  const body = (
    <main className="inbox">
      <Empty as="h1" texts={found} href={hrefs[fault]} />
    </main>
  );
  return documentOf(found.heading, site, { body });
}

function titleOf(view: ListView | ErrorView | VisitView): string {
  if ("name" in view) return texts.views[view.name];
  if (view.kind === "visit") return `${texts.visit}: ${view.route}`;
  return [headlineOf(view.group), view.message.slice(0, 80)].filter(Boolean).join(": ");
}

function bodyOf(view: ListView | ErrorView | VisitView, title: string): ReactElement {
  if ("name" in view) return <ReportList view={view} title={title} />;
  return view.kind === "visit" ? <VisitReport view={view} /> : <ErrorReport view={view} />;
}

/** @param page none where there is nothing to refresh */
async function documentOf(
  title: string,
  { style, script, basePath }: Site,
  { page, body }: { page?: Page; body: ReactElement },
): Promise<string> {
  // Not by a static import, which a bundler refuses in Next's instrumentation.
  const { renderToStaticMarkup } = await import("react-dom/server");
  const document = (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <meta name="color-scheme" content="light dark" />
        <title>{title}</title>
        <link rel="stylesheet" href={style} />
        {page && <script type="module" src={script} />}
      </head>
      <body>{body}</body>
    </html>
  );
  const html = onPage(page ?? { now: 0, url: "", basePath }, () => renderToStaticMarkup(document));
  return `<!DOCTYPE html>${html}`;
}
