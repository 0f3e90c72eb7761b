/** The browser's own: Signpost's own requests are no part of what is reported. */
export const { fetch } = window;

/** What a script of the page has asked for. */
export interface PageRequest {
  type: "fetch" | "xhr";
  method: string;
  url: URL;
  /** Milliseconds since the page's load began. */
  start: number;
  /** When the answer's headers came, or it failed; missing as long as it is under way. */
  end?: number;
  /** Missing where no answer came. */
  status?: number;
}

const maxRequests = 100;

/**
 * The last requests of the page's scripts, in order. The browser's own list has none of this: it ends
 * with the 250th entry, and knows no method, nor an answer whose body nobody reads.
 */
export const requests: PageRequest[] = [];

type FetchArguments = Parameters<typeof fetch>;

/**
 * Notes the requests of the page's scripts. Call it once.
 *
 * @param prepare what to ask for in place of the arguments of a `fetch` of this URL
 */
export function watchRequests(prepare: (url: URL, args: FetchArguments) => FetchArguments): void {
  window.fetch = async (...args) => {
    const [input, init] = args;
    const given: Partial<Request> = input instanceof Request ? input : { url: String(input) };
    const url = new URL(given.url as string, document.baseURI);
    const settle = note("fetch", init?.method ?? given.method ?? "GET", url);
    try {
      const response = await fetch(...prepare(url, args));
      settle(response.status);
      return response;
    } catch (error) {
      settle();
      throw error;
    }
  };
  const { open } = XMLHttpRequest.prototype;
  XMLHttpRequest.prototype.open = function (...args: unknown[]) {
    open.apply(this, args as Parameters<typeof open>);
    const [method, url] = args.map(String) as [string, string];
    const absolute = new URL(url, document.baseURI);
    const onStart = () => {
      const settle = note("xhr", method, absolute);
      this.addEventListener("loadend", () => settle(this.status), { once: true });
    };
    this.addEventListener("loadstart", onStart, { once: true });
  };
}

function note(type: PageRequest["type"], method: string, url: URL) {
  const start = performance.now();
  const request: PageRequest = { type, method: method.toUpperCase(), url, start };
  requests.push(request);
  if (requests.length > maxRequests) requests.shift();
  return (status?: number) => {
    request.end = performance.now();
    // An XMLHttpRequest that failed says 0.
    request.status = status || undefined;
  };
}
