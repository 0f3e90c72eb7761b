import type { RelayOptions } from "@signpost/relay";

const names = { "https:": ["https_proxy", "HTTPS_PROXY"], "http:": ["http_proxy", "HTTP_PROXY"] };
const bypassNames = ["no_proxy", "NO_PROXY"];

/** In both spellings. Many programs read them: without a service, none of them means anything here. */
export const proxyVariables = [...names["https:"], ...names["http:"], ...bypassNames];

/** Who is reached by no proxy: it would look for it on its own machine. */
const loopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/**
 * Which proxy leads to a URL, as curl reads the variables: the lower-case one goes first, and one without a
 * scheme is an HTTP proxy.
 *
 * @returns nothing where there is none
 */
export function outgoingProxy(
  url: string,
  env: Record<string, string | undefined>,
): RelayOptions["proxy"] {
  const { protocol, hostname } = new URL(url);
  const variable = names[protocol as keyof typeof names]?.find((name) => env[name]?.trim());
  if (!variable || loopback.test(hostname)) return undefined;
  const text = env[variable]?.trim() ?? "";
  const proxy = proxyIn(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`);
  if (!proxy) {
    const reason = `${variable} is not the address of an HTTP proxy, for example ${variable}=http://proxy.example.com:3128`;
    return { variable, reason };
  }
  const bypass = env[bypassNames.find((name) => env[name]?.trim()) ?? ""]?.trim() ?? "";
  return { ...proxy, bypass };
}

function proxyIn(text: string) {
  try {
    const { protocol, origin, username, password } = new URL(text);
    if (!/^https?:$/.test(protocol)) return undefined;
    const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    const basic = `Basic ${Buffer.from(credentials).toString("base64")}`;
    return { url: origin, authorization: username ? basic : undefined };
  } catch {
    return undefined;
  }
}
