import { subscribe } from "node:diagnostics_channel";
import type { IncomingMessage } from "node:http";
import { basePath } from "@/lib/config/public";

const dotName = /^[^?]*\/_next\/data\/[^?]*\/(\.|%2e){1,2}\.json(\?|$)/i;

/**
 * From now on, page data of a page named `.` or `..` is asked for in vain. No URL of a page can end
 * so, but that of its data can: Next then looks for another page, notices it, and throws.
 */
export function findNothingUnderDots(): void {
  subscribe("http.server.request.start", (message) => {
    const { request } = message as { request: IncomingMessage };
    if (dotName.test(request.url ?? "")) request.url = `${basePath}/_next/data/nothing`;
  });
}
