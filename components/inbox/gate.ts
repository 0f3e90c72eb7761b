import type { GetServerSidePropsContext, GetServerSidePropsResult } from "next";
import { basePath } from "@/lib/config/public";
import { runtimeConfig } from "@/lib/config/runtime.js";
import { clientReader, rateKey } from "@/lib/http/client-address";
import { cookieHeader, cookieName, cookieValue, isSame } from "@/lib/inbox/access";
import { mayTryToken } from "@/lib/inbox/token-tries";
import { href } from "./href";

/**
 * Decides who may see the inbox. The token in the URL becomes a cookie and goes from the URL at
 * once; whoever has neither is told what anybody is told of a page that does not exist. Whoever tries
 * one token after another waits longer and longer for that, up to a bound.
 *
 * @returns the answer for those who may not see it yet, or nothing for those who may
 */
export async function gate(
  context: GetServerSidePropsContext,
): Promise<GetServerSidePropsResult<never> | undefined> {
  const { req, res, query } = context;
  const config = runtimeConfig();
  res.setHeader("Cache-Control", "private, no-store");
  res.setHeader("X-Robots-Tag", "noindex");
  if (config.dsn) return { notFound: true };

  if (query.token !== undefined) {
    const given = typeof query.token === "string" ? query.token : "";
    const address = rateKey(clientReader(config.trustedProxies)(req).address);
    if (!(await mayTryToken(address))) return { notFound: true };
    if (!isSame(given, config.inboxToken)) return { notFound: true };
    const secure = String(req.headers["x-forwarded-proto"]).split(",")[0]?.trim() === "https";
    const value = await cookieValue(config.inboxToken);
    res.appendHeader("Set-Cookie", cookieHeader(value, basePath, secure));
    return { redirect: { destination: withoutToken(context), permanent: false } };
  }

  const held = req.cookies[cookieName] ?? "";
  return isSame(held, await cookieValue(config.inboxToken)) ? undefined : { notFound: true };
}

/** The same URL without the token; Next puts the base path in front. */
function withoutToken({ resolvedUrl, locale, defaultLocale }: GetServerSidePropsContext): string {
  const [path = "", search = ""] = resolvedUrl.split("?");
  const query = new URLSearchParams(search);
  query.delete("token");
  return (locale === defaultLocale ? "" : `/${locale}`) + href(path, Object.fromEntries(query));
}
