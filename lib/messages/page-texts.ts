import type { Messages } from "./en";

/** What a page is called and what it is for, by its pattern: title and description of its document. */
export function pageTexts(
  { routes, errors }: Messages,
  pathname: string,
): { title: string; purpose: string } {
  if (Object.hasOwn(routes, pathname)) return routes[pathname as keyof typeof routes];
  const missing = pathname === "/404";
  return {
    title: missing ? errors.notFound : errors.applicationError,
    purpose: missing ? errors.notFoundAdvice : errors.advice,
  };
}

/** The title of a document. */
export function documentTitle(title: string): string {
  return `${title} · Signpost`;
}
