import { ServerResponse } from "node:http";
import { captureUnshownError, originalUrlOf } from "@signpost/sentry/server";
import type { Messages } from "@/lib/messages/en";
import { directionOf, type Locale, locales, textsOf } from "@/lib/messages/locales";
import { documentTitle } from "@/lib/messages/product-name";
import { basePath, localeOf, urlOf } from "@/lib/navigation/location";
import { hashSource, scriptlessPolicy } from "@/lib/policy/content-security-policy";

/** What Next sends, as plain text, when its own error page fails as well. */
const nextErrorText = "Internal Server Error";

/** The colours are those of components/tokens.css. */
const style = `:root{color-scheme:light dark;--paper:#fcf9f4;--surface:#f3f0e9;--ink:#191f2b;--muted:#444a58;--line:#d5d0c7;--accent:#005633;--on-accent:#f7fef9}
@media(prefers-color-scheme:dark){:root{--paper:#0f141e;--surface:#181e2a;--ink:#f1eee7;--muted:#b5bbc7;--line:#373d4b;--accent:#73dea4;--on-accent:#07180f}}
body{max-width:38rem;margin:0 auto;padding:max(2rem,12vh) 1rem;font:1rem/1.6 ui-sans-serif,system-ui,sans-serif;background:var(--paper);color:var(--ink)}
h1{margin:0;font-size:clamp(min(1.75rem,13vw),1rem + 3.6vw,3.25rem);line-height:1.3}
p{margin:1rem 0 1.5rem;color:var(--muted)}
h1+p{margin-bottom:-.5rem;color:inherit;font-size:1.2rem;line-height:1.5}
nav{display:flex;flex-wrap:wrap;gap:.75rem}
a{padding:.55rem 1.25rem;border:1px solid;border-radius:.375rem;color:inherit;font-weight:600;text-align:center;text-decoration:none}
a:first-child{border-color:transparent;background:var(--accent);color:var(--on-accent)}
:focus-visible{outline:2px solid currentcolor;outline-offset:2px}
p:last-child{margin-top:1.5rem;padding:.75rem 1rem;border:1px solid var(--line);border-radius:.375rem;background:var(--surface);font-size:.875rem}
code{display:block;color:var(--ink);font-size:.94rem;overflow-wrap:anywhere;user-select:all}
[dir=rtl] code{text-align:right}
@media print{nav{display:none}body{background:none;color:#000}}`;

const policy = scriptlessPolicy({ "style-src": [hashSource(style)] });

/**
 * The fallback error page. It needs neither React nor any page of the app, so it can be shown when
 * those have failed.
 *
 * @param texts of all languages
 * @param url path and query of the request, with base path and locale prefix
 * @param reference the id of the event that reports the failure
 */
function fallbackErrorPage(
  texts: Map<Locale, Messages["errors"]>,
  url: string,
  reference: string,
): string {
  const locale = localeOf(url.replace(/[?#].*/s, ""));
  const errors = texts.get(locale) as Messages["errors"];
  return `<!DOCTYPE html>
<html lang="${locale}" dir="${directionOf(locale)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${documentTitle(errors.applicationError)}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${errors.applicationError}</h1>
<p>${errors.server}</p>
<p>${errors.advice}</p>
<nav><a href="">${errors.tryAgain}</a> <a href="${urlOf({ path: "/", locale })}">${errors.home}</a></nav>
<p>${errors.reference} <code data-fact="reference" dir="ltr">${reference}</code></p>
</main>
</body>
</html>
`;
}

/**
 * Sends browsers the fallback error page instead of Next's plain-text error. In production Next has no
 * other fallback if `_error`, `_app` or `_document` fails, or their code can't be loaded; so the
 * response itself is the only place to replace it.
 *
 * @param prototype of the responses in which to replace it
 */
export async function replaceBareErrors(prototype = ServerResponse.prototype): Promise<void> {
  const texts = new Map<Locale, Messages["errors"]>();
  for (const locale of locales) texts.set(locale, (await textsOf(locale)).errors);
  const { writeHead, end } = prototype;
  const pages = new WeakMap<ServerResponse, { page: Buffer; stored: Promise<void> | undefined }>();

  // Compression writes the head before it passes on the body, so the decision is made here.
  prototype.writeHead = function (this: ServerResponse, status: number, ...rest: unknown[]) {
    if (status === 500 && rest.length === 0 && isBare(this)) {
      const { reference, stored } = captureUnshownError(this.req);
      const page = Buffer.from(fallbackErrorPage(texts, originalUrlOf(this.req), reference));
      pages.set(this, { page, stored });
      this.setHeader("Content-Type", "text/html; charset=utf-8");
      this.setHeader("Content-Length", page.length);
      this.setHeader("Content-Security-Policy", policy);
      this.setHeader("Cache-Control", "no-store");
      this.removeHeader("ETag");
    }
    return Reflect.apply(writeHead, this, [status, ...rest]);
  } as typeof writeHead;

  prototype.end = function (this: ServerResponse, body?: unknown, ...rest: unknown[]) {
    // Nothing is written so far: write the head now, while the body can still be replaced.
    if (body === nextErrorText && !this.headersSent) {
      this.setHeader("Content-Length", nextErrorText.length);
      this.writeHead(this.statusCode);
    }
    const { page, stored } = pages.get(this) ?? {};
    if (!page) return Reflect.apply(end, this, [body, ...rest]);
    // The head leaves with the body, so nobody sees the reference before the report is stored.
    if (stored) void stored.then(() => Reflect.apply(end, this, [page]));
    else Reflect.apply(end, this, [page]);
    return this;
  } as typeof end;
}

/** Whether the response is Next's plain-text error, and its client may want a page. */
function isBare(response: ServerResponse): boolean {
  const { req } = response;
  const type = response.getHeader("Content-Type") ?? "text/plain";
  return (
    String(type).startsWith("text/plain") &&
    Number(response.getHeader("Content-Length")) === nextErrorText.length &&
    /text\/html|\*\/\*/.test(req.headers.accept ?? "*/*") &&
    !/^\/(api|_next)(\/|$)/.test(originalUrlOf(req).slice(basePath.length))
  );
}
