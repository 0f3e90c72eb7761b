/** The browser's own: Signpost's own requests are no part of what is reported. */
export const { fetch } = globalThis;

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
 * Notes each `fetch` of the page's scripts. Call it once.
 *
 * @param prepare called with each `fetch` before it is sent
 */
export function watchRequests(prepare: (request: Request) => void): void {
  window.fetch = async (...args) => {
    const request = new Request(...args);
    const settle = note(request);
    prepare(request);
    const answer = fetch(request);
    answer.then(
      ({ status }) => settle(status),
      () => settle(),
    );
    return answer;
  };
}

function note({ method, url }: Request) {
  // A `data:` or `blob:` URL asks nobody, and has its contents in it.
  if (!/^https?:/.test(url)) return () => {};
  const request: PageRequest = { method, url, start: performance.now() };
  requests.push(request);
  if (requests.length > maxRequests) requests.shift();
  return (status?: number) => {
    request.end = performance.now();
    request.status = status;
  };
}
