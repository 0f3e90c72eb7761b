/** Hrefs within the inbox: paths and queries, without base path and locale. */

export const viewNames = ["errors", "performance", "feedback"] as const;
/** The views of `/reports`, the default one first. */
export type ViewName = (typeof viewNames)[number];

/** @param page from 1 */
export function listHref(view: ViewName, page = 1): string {
  return withQuery("/reports", {
    view: view === "errors" ? undefined : view,
    page: page > 1 ? String(page) : undefined,
  });
}

/**
 * The page of an error.
 *
 * @param group id of the error's group
 * @param event id of the event to show; the latest one where it isn't given
 */
export function errorHref(group: string, event?: string): string {
  return withQuery(`/reports/${group}`, { event });
}

/** @param url path and query */
export function withoutToken(url: string): string {
  const [path = "", search] = url.split("?");
  const query = new URLSearchParams(search);
  query.delete("token");
  return withQuery(path, Object.fromEntries(query));
}

function withQuery(path: string, query: Record<string, string | undefined>): string {
  const given = Object.entries(query).filter(
    (pair): pair is [string, string] => pair[1] !== undefined,
  );
  const search = new URLSearchParams(given).toString();
  return search ? `${path}?${search}` : path;
}
