import type { IncomingHttpHeaders } from "node:http";

interface Options {
  /** Whether `X-Forwarded-Host` can be believed. */
  behindTrustedProxy: boolean;
  /**
   * Whether `Origin: null` is taken where no other header names another site. Over plain http browsers
   * send no `Sec-Fetch-Site`, and under `Referrer-Policy: no-referrer` they send a form of one's own page
   * like this. A sandboxed frame or a `data:` document of another site may send the same. So only for what
   * anybody may send by a program of their own, never for what a cookie opens.
   */
  takesOpaqueOrigin?: boolean;
}

/**
 * Whether a page of another site sent the request. A client that sends none of these headers is not a
 * browser and is allowed: it could send anything.
 * Source: https://www.w3.org/TR/fetch-metadata/#sec-fetch-site-header,
 * https://fetch.spec.whatwg.org/#append-a-request-origin-header
 */
export function isCrossSite(
  headers: IncomingHttpHeaders,
  { behindTrustedProxy, takesOpaqueOrigin = false }: Options,
): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site !== "same-origin" && site !== "none";
  const { origin, referer } = headers;
  if (origin === undefined) return false;
  const sender = origin === "null" && takesOpaqueOrigin ? referer : origin;
  return sender !== undefined && !isOwn(sender, headers, behindTrustedProxy);
}

function isOwn(url: string, headers: IncomingHttpHeaders, behindTrustedProxy: boolean): boolean {
  if (!URL.canParse(url)) return false;
  const { host, protocol } = new URL(url);
  const ownHosts = [headers.host];
  if (behindTrustedProxy) ownHosts.push(firstValue(headers["x-forwarded-host"]));
  return ownHosts.some((own) => own !== undefined && normalizeHost(protocol, own) === host);
}

/** The host as a URL has it: lower case, without the default port. */
function normalizeHost(protocol: string, host: string): string | undefined {
  const url = `${protocol}//${host}`;
  return URL.canParse(url) ? new URL(url).host : undefined;
}

/** Each proxy appends to the list, so the first value is the one nearest to the client. */
function firstValue(header: string | string[] | undefined): string | undefined {
  return (Array.isArray(header) ? header[0] : header)?.split(",")[0]?.trim();
}
