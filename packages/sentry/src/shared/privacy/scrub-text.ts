/**
 * The scrubbing of one text. It is in the first load of every page, which is why it is not part of
 * scrub.ts.
 */

export const filtered = "[Filtered]";

/**
 * `?a=1&b=2` or `#a=1` anywhere in a text. The value ends where the URL ends. `#id[type="button"]` is a
 * selector, as the SDK writes it for a click.
 */
const parameters = /([?&][^\s?&#=]+=|#[^\s?&#=]+=(?!"))[^\s&#]*[^\s&#<>"`]/g;
const credentials = /(\b[a-z][a-z\d+.-]{1,20}:\/\/)[^\s/?#@<>"`]+@/gi;

/**
 * Removes parameter values and credentials from every URL in a text.
 *
 * @param text a URL, or a sentence with URLs in it
 * @returns the text with `[Filtered]` as the value of each parameter
 */
export function scrubText(text: string): string {
  const parameterless = text.includes("=") ? text.replace(parameters, `$1${filtered}`) : text;
  return parameterless.includes("@") ? parameterless.replace(credentials, "$1") : parameterless;
}
