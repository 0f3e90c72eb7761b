import { hashSource } from "./content-security-policy";
import { allowsUrl } from "./policy-sources";

/** The props of `next/script` that decide whether it runs. */
interface Script {
  src?: string;
  strategy?: string;
  children?: unknown;
  dangerouslySetInnerHTML?: { __html: string | { toString(): string } };
}

/**
 * Why a `next/script` would not run under the policy, and what to do about it.
 *
 * An inline script may be inserted after a navigation, while the policy of the page before still
 * holds. So only a hash that the policy of every page has allows it.
 *
 * @param sources what the team adds to `script-src`
 * @returns nothing if it runs
 */
export function scriptFault(
  { src, strategy, children, dangerouslySetInnerHTML }: Script,
  sources: readonly string[] = [],
): string | undefined {
  if (strategy === "worker") {
    return 'next/script with strategy="worker" runs in no worker, since it needs Partytown. Use strategy="lazyOnload".';
  }
  if (src) {
    const own = "https://own.invalid";
    const url = new URL(src, own);
    if (url.origin === own || allowsUrl(sources, url)) return undefined;
    return `The policy does not allow the script ${src}. Add to lib/policy/policy.ts: "script-src": ["${url.origin}"]`;
  }
  const text = String(dangerouslySetInnerHTML?.__html ?? [children].flat().join(""));
  const hash = hashSource(text);
  if (sources.includes(hash)) return undefined;
  return `The policy does not allow the inline script ${JSON.stringify(text.slice(0, 60))}. Put its text into a file under public/ and name it as src; or, if the text never changes, add to lib/policy/policy.ts: "script-src": ["${hash}"]`;
}
