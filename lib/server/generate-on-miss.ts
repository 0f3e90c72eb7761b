import { subscribe } from "node:diagnostics_channel";
import type { IncomingMessage, ServerResponse } from "node:http";
import { buildId } from "@/lib/config/build.js";
import { basePath } from "@/lib/config/public";
import { log } from "@/lib/log";
import { placeOf } from "@/lib/routes/location";
import { matchRoute, routes } from "@/lib/routes/routes";

/** Told apart cheaply, since every request is looked at: `/incremental/`. */
const beginnings = Object.entries(routes)
  .filter(([, rendering]) => rendering === "incremental")
  .map(([route]) => route.replace(/\[.*/, ""));

/**
 * An incremental page that nobody asked for before is answered by its fallback, and made when the
 * browser's script asks for its data. For visitors without JavaScript the server asks itself; the
 * fallback then comes back by a refresh.
 */
export function makeWhatWasMissing(): void {
  subscribe("http.server.request.start", (message) => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    // Now, since Next takes the language out of it on the way.
    const data = dataUrl(request.url ?? "");
    if (!data) return;
    response.once("finish", () => {
      if (response.getHeader("x-nextjs-cache") === "MISS") void askFor(data, request);
    });
  });
}

/**
 * Where the data of an incremental page is.
 *
 * @param url path and query of a request
 * @returns nothing where it asks for anything else, the data itself among it
 */
export function dataUrl(url: string): string | undefined {
  if (!beginnings.some((beginning) => url.includes(beginning))) return undefined;
  // Anything may stand in a request line, a second slash and a broken host name too.
  if (!URL.canParse(url, "http://localhost")) return undefined;
  const place = placeOf(new URL(url, "http://localhost"));
  if (!place) return undefined;
  const path = place.path.replace(/[?#].*/, "");
  const route = matchRoute(path);
  if (!route || routes[route] !== "incremental") return undefined;
  return `${basePath}/_next/data/${buildId()}/${place.locale}${path}.json`;
}

async function askFor(path: string, { socket }: IncomingMessage): Promise<void> {
  const { localAddress = "127.0.0.1", localPort } = socket;
  const host = localAddress.includes(":") ? `[${localAddress}]` : localAddress;
  try {
    await (await fetch(`http://${host}:${localPort}${path}`)).arrayBuffer();
  } catch (error) {
    log("warn", "page not made ahead", { cause: String(error) });
  }
}
