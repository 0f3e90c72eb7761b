/** The address and key of a project at an error-reporting service. */
export interface Dsn {
  /** As configured, without the legacy secret key. */
  text: string;
  publicKey: string;
  projectId: string;
  /** Where envelopes are POSTed. */
  envelopeUrl: string;
}

/**
 * Reads `{protocol}://{public key}@{host}[:{port}][/{path}]/{project id}`.
 * Source: https://develop.sentry.dev/sdk/overview/#parsing-the-dsn
 *
 * @returns nothing where it is not a DSN
 */
export function parseDsn(text: string): Dsn | undefined {
  let url: URL;
  let publicKey: string;
  try {
    url = new URL(text);
    publicKey = decodeURIComponent(url.username);
  } catch {
    return undefined;
  }
  const [, path = "", projectId = ""] = /^((?:\/[^/]+)*)\/([^/]+)$/.exec(url.pathname) ?? [];
  const usable = /^https?:$/.test(url.protocol) && publicKey && projectId && url.hostname;
  if (!usable || url.search || url.hash) return undefined;
  return {
    text: `${url.protocol}//${url.username}@${url.host}${path}/${projectId}`,
    publicKey,
    projectId,
    envelopeUrl: `${url.protocol}//${url.host}${path}/api/${projectId}/envelope/`,
  };
}
