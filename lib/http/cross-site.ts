import type { IncomingHttpHeaders } from "node:http";

/**
 * Whether a page of another site sent the request. A client that says nothing of it is no browser
 * and is let in: it could say anything.
 * Source: https://www.w3.org/TR/fetch-metadata/#sec-fetch-site-header
 *
 * @param behindTrustedProxy whether `X-Forwarded-Host` can be believed
 */
export function comesFromOtherSite(
  headers: IncomingHttpHeaders,
  behindTrustedProxy: boolean,
): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site !== "same-origin" && site !== "none";
  const { origin } = headers;
  if (origin === undefined) return false;
  if (!URL.canParse(origin)) return true;
  const { host, protocol } = new URL(origin);
  const hosts = [headers.host];
  if (behindTrustedProxy) hosts.push(firstOf(headers["x-forwarded-host"]));
  return !hosts.some((own) => own !== undefined && hostOf(protocol, own) === host);
}

/** As a URL would have it: lower case, without the default port. */
function hostOf(protocol: string, host: string): string | undefined {
  const url = `${protocol}//${host}`;
  return URL.canParse(url) ? new URL(url).host : undefined;
}

/** Of a list that each proxy on the way adds to, the one nearest to the client. */
function firstOf(header: string | string[] | undefined): string | undefined {
  return (Array.isArray(header) ? header[0] : header)?.split(",")[0]?.trim();
}
