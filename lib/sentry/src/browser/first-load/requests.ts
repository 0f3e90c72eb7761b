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

/**
 * Notes each `fetch` of the page's scripts, and passes on what they give as it is: whoever has wrapped
 * `fetch` before may know nothing else. Call it once.
 *
 * @param headersFor headers to add to a request for this absolute URL, which has those given
 */
export function watchRequests(
  headersFor: (url: string, given: Headers) => Record<string, string> | undefined,
): void {
  if (!fetch) return;
  window.fetch = async function (this: unknown, ...args) {
    let noted: Partial<PageRequest> = {};
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
      if (added) {
        // As the script names them in an object: others may write over them by these names.
        const named = Symbol.iterator in Object(headers) ? Object.fromEntries(all) : headers;
        args[1] = { ...init, headers: { ...named, ...added } as Record<string, string> };
      }
    } catch {
      // It is for the browser to say what is wrong with what was given.
    }
    try {
      const answer = await fetch.apply(this, args);
      noted.status = answer?.status;
      return answer;
    } finally {
      noted.end = performance.now();
    }
  };
}
