import type { IncomingMessage } from "node:http";
import { buildId } from "@/lib/config/build";
import { log } from "@/lib/log";
import { dataUrlOf, placeOf } from "@/lib/routes/location";
import { staticPrefixOf } from "@/lib/routes/pattern";
import { matchRoute, routes } from "@/lib/routes/routes";
import type { RequestStep } from "./each-request";

/** Such as `/incremental/`. Compared first, because every request passes here. */
const incrementalPrefixes = Object.entries(routes)
  .filter(([, rendering]) => rendering === "incremental")
  .map(([route]) => staticPrefixOf(route));

let servedBuild: string | undefined;

/**
 * Generates an incremental page that is requested for the first time. Next answers with the page's
 * fallback, and generates the page only when the browser's script requests its data. For visitors
 * without JavaScript the server requests the data itself, and the fallback refreshes itself.
 */
export const generateOnMiss: RequestStep = ({ request, response }) => {
  const data = dataUrl(request.url ?? "");
  if (!data) return;
  response.once("finish", () => {
    if (response.getHeader("x-nextjs-cache") === "MISS") void generate(data, request);
  });
};

/**
 * The URL of an incremental page's data.
 *
 * @param url path and query of a request
 * @returns nothing if the request is for anything but an incremental page
 */
export function dataUrl(url: string): string | undefined {
  if (!incrementalPrefixes.some((prefix) => url.includes(prefix))) return undefined;
  // A request line may hold anything, such as two slashes and an invalid host name.
  if (!URL.canParse(url, "http://localhost")) return undefined;
  const place = placeOf(new URL(url, "http://localhost"));
  if (!place) return undefined;
  const path = place.path.replace(/[?#].*/, "");
  const route = matchRoute(path);
  if (!route || routes[route] !== "incremental") return undefined;
  // Read once: reading blocks, and fails when the process has too many open files.
  servedBuild ??= buildId();
  return dataUrlOf(servedBuild, { ...place, path });
}

async function generate(data: string, { socket }: IncomingMessage): Promise<void> {
  const { localAddress = "127.0.0.1", localPort } = socket;
  const host = localAddress.includes(":") ? `[${localAddress}]` : localAddress;
  try {
    await (await fetch(`http://${host}:${localPort}${data}`)).arrayBuffer();
  } catch (error) {
    log("warn", "page not generated", { cause: String(error) });
  }
}
