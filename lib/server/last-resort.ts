import { createHash } from "node:crypto";
import { type IncomingMessage, ServerResponse } from "node:http";
import { basePath } from "@/lib/config/public";
import { catalogue } from "@/lib/messages/catalogue";
import { directionOf } from "@/lib/messages/locales";
import { originalUrlOf } from "@/lib/reporting/server/next-request";
import { referenceFor, referenceOf } from "@/lib/reporting/server/references";
import { placeOf, urlOf } from "@/lib/routes/location";

/** What Next says when its own error page fails as well, as plain text. */
const bareWords = "Internal Server Error";

const style = `:root{color-scheme:light dark}
body{max-width:38rem;margin:0 auto;padding:4rem 1.5rem;font:1.125rem/1.6 system-ui,sans-serif;background:Canvas;color:CanvasText}
h1{font-size:1.75rem;line-height:1.25}
a{display:inline-block;padding:.5rem 0;margin-inline-end:1.5rem}
code{overflow-wrap:anywhere;user-select:all}`;

const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/**
 * The page of last resort: it needs neither React nor any page of the app, so it can be shown when
 * those are what failed.
 *
 * @param url path and query of the request, with base path and locale prefix
 * @param reference of the event that the failure was reported as
 */
export function lastResortPage(url: string, reference: string): string {
  const asked = `http://localhost${url.replace(/^\/+/, "/")}`;
  const { locale } = (URL.canParse(asked) && placeOf(new URL(asked))) || { locale: "en" as const };
  const { errors } = catalogue[locale];
  return `<!DOCTYPE html>
<html lang="${locale}" dir="${directionOf(locale)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${errors.applicationError} · Signpost</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${errors.applicationError}</h1>
<p>${errors.server}</p>
<p>${errors.advice}</p>
<p><a href="">${errors.tryAgain}</a> <a href="${urlOf({ path: "/", locale })}">${errors.home}</a></p>
<p>${errors.reference} <code data-fact="reference" dir="ltr">${reference}</code></p>
</main>
</body>
</html>
`;
}

/**
 * From now on, a browser that would be left with Next's bare words gets the page of last resort.
 * Next has no fallback of its own in production: where `_error`, `_app` or `_document` fails, or
 * their code can't be loaded, all that is left is the response on its way out.
 *
 * @param prototype of the responses to watch over
 */
export function answerWhenAllElseFails(prototype = ServerResponse.prototype): void {
  const { writeHead, end } = prototype;
  const pages = new WeakMap<ServerResponse, Buffer>();

  // Compression writes the head before it hands on the body, so the page is decided on here.
  prototype.writeHead = function (this: ServerResponse, status: number, ...rest: unknown[]) {
    if (status === 500 && rest.length === 0 && isBare(this)) {
      const page = Buffer.from(
        lastResortPage(originalUrlOf(this.req), referenceOfFailure(this.req)),
      );
      pages.set(this, page);
      this.setHeader("Content-Type", "text/html; charset=utf-8");
      this.setHeader("Content-Length", page.length);
      this.setHeader("Content-Security-Policy", policy);
      this.setHeader("Cache-Control", "no-store");
      this.removeHeader("ETag");
    }
    return Reflect.apply(writeHead, this, [status, ...rest]);
  } as typeof writeHead;

  prototype.end = function (this: ServerResponse, body?: unknown, ...rest: unknown[]) {
    // Nothing written so far: the head is decided on now, while the body can still be another.
    if (body === bareWords && !this.headersSent) {
      this.setHeader("Content-Length", bareWords.length);
      this.writeHead(this.statusCode);
    }
    const page = pages.get(this);
    return Reflect.apply(end, this, page ? [page] : [body, ...rest]);
  } as typeof end;
}

/** Whether all that was to come is Next's bare words, to somebody who may want a page. */
function isBare(response: ServerResponse): boolean {
  const { req } = response;
  const type = response.getHeader("Content-Type") ?? "text/plain";
  return (
    String(type).startsWith("text/plain") &&
    Number(response.getHeader("Content-Length")) === bareWords.length &&
    /text\/html|\*\/\*/.test(req.headers.accept ?? "*/*") &&
    !/^\/(api|_next)(\/|$)/.test(originalUrlOf(req).slice(basePath.length))
  );
}

/** What fails while its code is loaded is logged by Next, but handed to nobody. */
function referenceOfFailure({ method, url, headers }: IncomingMessage): string {
  return (
    referenceOf(headers) ??
    referenceFor(new Error("Neither the page nor the error page could be shown"), {
      mechanism: "signpost.last_resort",
      method,
      path: url,
      headers,
    })
  );
}
