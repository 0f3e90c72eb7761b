/**
 * Envelopes that could not be delivered, kept in IndexedDB until they can, also across reloads.
 * Tabs share it: who sends one claims it first, so that no other does; a claim that was not kept
 * (the tab is gone) lapses.
 */

const database = "signpost-reports";
const table = "envelopes";

/** How many are kept; the oldest make way. */
const most = 100;

/** Milliseconds a claim holds. */
const claimTime = 30_000;

/** Milliseconds after which a report is too old to be news. */
const longest = 24 * 60 * 60 * 1000;

export interface StoredEnvelope {
  id: number;
  body: string | Uint8Array<ArrayBuffer>;
  /** Milliseconds since the epoch. */
  keptAt: number;
  claimedUntil: number;
}

/**
 * Keeps an envelope.
 *
 * @returns how many old ones had to make way
 * @throws DOMException where the browser has no room or no IndexedDB
 */
export async function keep(body: StoredEnvelope["body"]): Promise<number> {
  return inStore(async (store) => {
    store.add({ body, keptAt: Date.now(), claimedUntil: 0 });
    const ids = await done(store.getAllKeys());
    const surplus = ids.slice(0, Math.max(0, ids.length - most));
    for (const id of surplus) store.delete(id);
    return surplus.length;
  });
}

/** Claims the oldest envelope that nobody is sending. */
export async function claim(): Promise<StoredEnvelope | undefined> {
  return inStore(async (store) => {
    const now = Date.now();
    for (const envelope of (await done(store.getAll())) as StoredEnvelope[]) {
      if (envelope.claimedUntil > now) continue;
      if (now - envelope.keptAt > longest) store.delete(envelope.id);
      else {
        store.put({ ...envelope, claimedUntil: now + claimTime });
        return envelope;
      }
    }
    return undefined;
  });
}

/** Forgets an envelope: it was delivered, or refused for good. */
export async function forget({ id }: StoredEnvelope): Promise<void> {
  await inStore(async (store) => void store.delete(id));
}

/** Gives an envelope back, to be sent later. */
export async function release(envelope: StoredEnvelope): Promise<void> {
  await inStore(async (store) => void store.put({ ...envelope, claimedUntil: 0 }));
}

async function inStore<T>(work: (store: IDBObjectStore) => Promise<T>): Promise<T> {
  if (!("indexedDB" in globalThis)) throw new DOMException("No IndexedDB", "NotSupportedError");
  const opening = indexedDB.open(database, 1);
  opening.onupgradeneeded = () =>
    opening.result.createObjectStore(table, { keyPath: "id", autoIncrement: true });
  const db = await done(opening);
  try {
    const transaction = db.transaction(table, "readwrite");
    const committed = new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error);
    });
    const result = await work(transaction.objectStore(table));
    await committed;
    return result;
  } finally {
    db.close();
  }
}

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
