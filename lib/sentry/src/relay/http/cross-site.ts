import type { IncomingHttpHeaders } from "node:http";

/**
 * Whether a page of another site sent the request. A client that sends neither header is not a
 * browser and is allowed: it could send anything.
 * Source: https://www.w3.org/TR/fetch-metadata/#sec-fetch-site-header
 *
 * @param behindTrustedProxy whether `X-Forwarded-Host` can be believed
 */
export function isCrossSite(headers: IncomingHttpHeaders, behindTrustedProxy: boolean): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site !== "same-origin" && site !== "none";
  const { origin } = headers;
  if (origin === undefined) return false;
  if (!URL.canParse(origin)) return true;
  const { host, protocol } = new URL(origin);
  const ownHosts = [headers.host];
  if (behindTrustedProxy) ownHosts.push(firstValue(headers["x-forwarded-host"]));
  return !ownHosts.some((own) => own !== undefined && normalizeHost(protocol, own) === host);
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
