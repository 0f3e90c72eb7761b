import type { Messages } from "./en";

/** What a page is called and what it is for, by its pattern: title and description of its document. */
export function pageTexts(
  { routes, errors }: Messages,
  pathname: string,
): { title: string; purpose: string } {
  const known = routes[pathname as keyof typeof routes] ?? routes[parentOf(pathname)];
  if (known) return known;
  const missing = pathname === "/404";
  return {
    title: missing ? errors.notFound : errors.applicationError,
    purpose: missing ? errors.notFoundAdvice : errors.advice,
  };
}

/** A page below another that has texts goes by those. */
function parentOf(pathname: string) {
  return pathname.replace(/\/\[[^/]*$/, "") as keyof Messages["routes"];
}

/** The title of a document. */
export function documentTitle(title: string): string {
  return `${title} · Signpost`;
}
