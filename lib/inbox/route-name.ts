import { text } from "./fields";

/**
 * The route of a transaction's name: browser and server name it alike but for the request method
 * (`GET /dynamic/[id]`), which goes, so that both stand in one row.
 */
export function routeOf(transaction: unknown): string | undefined {
  return text(transaction)?.replace(/^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) +(?=\S)/, "");
}

/** Stands for the route of what names none. */
export const nameless = "unknown route";
/** Stands for all routes that have no row of their own. */
export const otherRoutes = "other routes";
