/** What became of an envelope that was posted to the relay. */
export type Outcome =
  | { kind: "delivered"; headers: Headers }
  /** Worth another try; not before `waitMs`, if the server named a time. */
  | { kind: "later"; waitMs?: number; headers?: Headers }
  /** Never to be accepted. */
  | { kind: "refused"; status: number };

/** The browser lets 64 KiB in all outlive a page. */
const keepaliveBudget = 60_000;
let onTheWay = 0;

/**
 * Posts an envelope to the relay. Short ones outlive the page.
 *
 * @param url the tunnel, on the app's own origin
 */
export async function post(url: string, body: string | Uint8Array<ArrayBuffer>): Promise<Outcome> {
  const keepalive = onTheWay + body.length < keepaliveBudget;
  onTheWay += keepalive ? body.length : 0;
  try {
    const response = await fetch(url, { method: "POST", body, keepalive });
    // A body that nobody reads keeps the request open, and its bytes on the browser's account.
    await response.text();
    return outcomeOf(response);
  } catch {
    // Offline, or cut off: fetch says no more.
    return { kind: "later" };
  } finally {
    onTheWay -= keepalive ? body.length : 0;
  }
}

/** Only the relay answers in JSON; a 200 in HTML is somebody in between. */
export function outcomeOf({ status, headers }: Response): Outcome {
  const json = headers.get("content-type")?.includes("json");
  if (status < 300 && json) return { kind: "delivered", headers };
  const refused = status >= 400 && status < 500 && ![408, 425, 429].includes(status);
  if (refused && json) return { kind: "refused", status };
  const wait = Number(headers.get("retry-after"));
  return { kind: "later", waitMs: wait > 0 ? wait * 1000 : undefined, headers };
}
