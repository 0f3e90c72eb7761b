import { guarded } from "./page-load.ts";

/**
 * As the page had it before this file: Signpost's own requests are no part of what is reported. Nothing
 * where it can't be read.
 */
export let fetch: typeof globalThis.fetch;
guarded(() => {
  ({ fetch } = globalThis);
})();

/** What a script of the page has asked for by `fetch`. */
export interface PageRequest {
  method: string;
  /** Absolute */
  url: string;
  /** Milliseconds since the page's load began. */
  start: number;
  /** When the answer's headers came, or it failed; missing as long as it is under way. */
  end?: number;
  /** Missing where no answer came; 0 where a script may not see it, as of a `no-cors` request. */
  status?: number;
}

const maxRequests = 100;

/**
 * The last requests of the page's scripts, in order. The browser's own list has none of this: it ends
 * with the 250th entry, and knows no method, nor an answer whose body nobody reads.
 */
export const requests: PageRequest[] = [];

type FetchArgs = Parameters<typeof fetch>;

/** Of Sentry's SDK, which adds them to some requests before they come here. */
const traceHeaders = /^(sentry-trace|baggage|traceparent)$/;

/**
 * Notes each `fetch` of the page's scripts, and passes on what they give as it is: whoever has wrapped
 * `fetch` before may know nothing else. Call it once.
 *
 * A request with the headers of a trace fails where the server redirects it to another origin, as a download
 * to a storage: for such headers the browser asks that origin first, and it refuses them. Why it has failed
 * is told to nobody. So a failed GET or HEAD is asked once more, without them; not for page data, which
 * no server redirects like that.
 *
 * @param headersFor headers to add to a request for this absolute URL, which has those given
 */
export function watchRequests(
  headersFor: (url: string, given: Headers) => Record<string, string> | undefined,
): void {
  if (!fetch) return;
  window.fetch = async function (this: unknown, ...args) {
    let noted: Partial<PageRequest> = {};
    let plain: FetchArgs | undefined;
    try {
      const [input, init] = args;
      // Of a request, what its own object says: its body must not be read.
      const { url: address = input, method: own, headers: given } = input as Request;
      const { url, method } = new Request(address, { method: init?.method ?? own });
      const request: PageRequest = { url, method, start: performance.now() };
      // A `data:` or `blob:` URL asks nobody, and has its contents in it.
      if (/^https?:/.test(url) && requests.push(request) > maxRequests) requests.shift();
      noted = request;
      const headers = init?.headers ?? given;
      const all = new Headers(headers);
      const added = headersFor(url, all);
      const isRepeatable = /^(GET|HEAD)$/.test(method) && !all.has("x-nextjs-data");
      if (added) {
        if (isRepeatable) plain = [input, init];
        // As the script names them in an object: others may write over them by these names.
        const named = Symbol.iterator in Object(headers) ? [...all] : Object.entries(headers ?? {});
        const others = named.filter(([name]) => !(name.toLowerCase() in added));
        args[1] = { ...init, headers: { ...Object.fromEntries(others), ...added } };
      } else if (isRepeatable && all.has("sentry-trace")) {
        const others = [...all].filter(([name]) => !traceHeaders.test(name));
        plain = [input, { ...init, headers: Object.fromEntries(others) }];
      }
    } catch {
      // It is for the browser to say what is wrong with what was given.
    }
    try {
      const answer = await ask(this, args, plain);
      noted.status = answer?.status;
      return answer;
    } finally {
      noted.end = performance.now();
    }
  };
}

/** @param plain what to ask where that fails */
async function ask(on: unknown, args: FetchArgs, plain?: FetchArgs): Promise<Response> {
  try {
    return await fetch.apply(on, args);
  } catch (error) {
    // One that was cancelled fails otherwise.
    if (!plain || !(error instanceof TypeError)) throw error;
    return fetch.apply(on, plain);
  }
}
