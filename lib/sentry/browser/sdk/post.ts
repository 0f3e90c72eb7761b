import { fetch } from "@/lib/sentry/browser/first-load/visit";

/** What became of an envelope that was posted to the tunnel. */
export type Outcome =
  | { kind: "delivered"; headers: Headers }
  /** Try again, after `waitMs` if the server named a time. */
  | { kind: "later"; waitMs?: number; headers?: Headers }
  /** The tunnel will never accept it. */
  | { kind: "refused"; status: number };

/** Browsers allow 64 KiB in all for `keepalive` requests. */
const keepaliveBudget = 60_000;
let keepaliveBytes = 0;

/** Aborts, as the page is left, the requests that the browser would abort without an error. */
let left = new AbortController();
addEventListener("pagehide", () => left.abort());
addEventListener("pageshow", () => {
  if (left.signal.aborted) left = new AbortController();
});

/**
 * Posts an envelope to the tunnel. If the page is left meanwhile, a short one is still sent; for any
 * other the outcome is `later`, while the page can still store it.
 *
 * @param url the tunnel, on the app's own origin
 */
export async function post(url: string, body: string | Uint8Array<ArrayBuffer>): Promise<Outcome> {
  const { length } = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const keepalive = keepaliveBytes + length < keepaliveBudget;
  keepaliveBytes += keepalive ? length : 0;
  try {
    const signal = keepalive ? null : left.signal;
    const response = await fetch(url, { method: "POST", body, keepalive, signal });
    // An unread body keeps the request open, and its bytes count against the budget.
    await response.text();
    return outcomeOf(response);
  } catch {
    // Offline, or the connection broke: fetch tells no more. It also rejects while the page is being
    // left, although the request goes on: sending again at once would send twice.
    return { kind: "later" };
  } finally {
    keepaliveBytes -= keepalive ? length : 0;
  }
}

/** The tunnel always answers in JSON. A 200 in HTML comes from a proxy or a captive portal. */
function outcomeOf({ status, headers }: Response): Outcome {
  const json = headers.get("content-type")?.includes("json");
  if (status < 300 && json) return { kind: "delivered", headers };
  const refused = status >= 400 && status < 500 && ![408, 425, 429].includes(status);
  if (refused && json) return { kind: "refused", status };
  const wait = Number(headers.get("retry-after"));
  return { kind: "later", waitMs: wait > 0 ? wait * 1000 : undefined, headers };
}
