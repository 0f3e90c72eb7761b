/**
 * The part of scrubbing that the smallest report needs too: apart from scrub.ts, since it is in the
 * first load of every page.
 */

export const filtered = "[Filtered]";

/** `?a=1&b=2`, `#a=1` in the midst of any text. The value ends where a URL in a text ends. */
const parameters = /([?&#][^\s?&#=]+=)[^\s&#]*[^\s&#<>"`]/g;
const credentials = /(\b[a-z][a-z\d+.-]{1,20}:\/\/)[^\s/?#@<>"`]+@/gi;

/**
 * Cleans the parameters out of every URL in a text.
 *
 * @param text a URL, or a sentence with URLs in it
 * @returns the text with each parameter's value replaced by `[Filtered]`
 */
export function scrubText(text: string): string {
  const parameterless = text.includes("=") ? text.replace(parameters, `$1${filtered}`) : text;
  return parameterless.includes("@") ? parameterless.replace(credentials, "$1") : parameterless;
}
