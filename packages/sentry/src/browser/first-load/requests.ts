import { guarded } from "./page-load.ts";

/**
 * As the page had it before this file: Signpost's own requests are no part of what is reported. Nothing
 * where it can't be read.
 */
export let fetch: typeof globalThis.fetch;
guarded(() => {
  ({ fetch } = window);
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
    const noted: Partial<PageRequest> = { start: performance.now() };
    /** What to ask where that fails. */
    let plain: FetchArgs | undefined;
    try {
      // What has no URL is one.
      const [input, init] = args as [Partial<Request>, RequestInit?];
      const { method: verb = input.method, headers = input.headers } = init ?? {};
      // Not of the request itself: its body must not be read.
      const { url, method } = new Request(input.url ?? (input as URL), { method: verb as string });
      const request = Object.assign(noted as PageRequest, { url, method });
      // A `data:` or `blob:` URL asks nobody, and has its contents in it.
      if (/^https?:/.test(url) && requests.push(request) > maxRequests) requests.shift();
      const all = new Headers(headers);
      const added = headersFor(url, all);
      // Those of Sentry's SDK, which has added them before; or the app's own baggage, which is in what is added.
      const ofTrace = added ? /^baggage$/i : /^(sentry-trace|baggage|traceparent)$/;
      // As the script names them in an object: others may write over them by these names.
      const named = Symbol.iterator in Object(headers) ? [...all] : Object.entries(headers ?? {});
      const others = Object.fromEntries(named.filter(([name]) => !ofTrace.test(name)));
      // What is inherited counts, too: a request may stand in the place of options.
      const withHeaders = (sent: Record<string, string>): RequestInit => {
        const copy: Record<string, unknown> = {};
        for (const name in init) copy[name] = init[name as keyof RequestInit];
        return { ...copy, headers: sent };
      };
      if (added) args[1] = withHeaders({ ...others, ...added });
      const isTraced = added || all.has("sentry-trace");
      if (isTraced && /^(GET|HEAD)$/.test(method) && !all.has("x-nextjs-data"))
        plain = [args[0], withHeaders(others)];
    } catch {
      // It is for the browser to say what is wrong with what was given.
    }
    try {
      let answer: Response;
      try {
        answer = await fetch.apply(this, args);
      } catch (error) {
        // One that was cancelled fails otherwise.
        if (!plain || !(error instanceof TypeError)) throw error;
        answer = await fetch.apply(this, plain);
      }
      noted.status = answer?.status;
      return answer;
    } finally {
      noted.end = performance.now();
    }
  };
}
