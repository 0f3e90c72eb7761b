import { everyCategory, primaryCategories } from "@/lib/relay/envelope/categories";
import { Values } from "./driver";
import type { ClaimedReport, ClaimRequest, Store } from "./outbox";

/** About how many bytes a claim brings at most: each report can have 2 MB. */
const claimBytes = 4 * 1024 * 1024;
/** A service takes 36 s at most: 6 for the source of a stack, and twice 15 to connect and answer. */
const defaultLeaseMs = 45_000;
/** How long an error waits for a process of its release. */
const ownReleaseMs = 60_000;
/** No lease and no back-off lasts longer: one that seems to is of a clock that was set back. */
const maxWaitMs = 10 * 60_000;

interface Claimer {
  /** For `claimed_by`. */
  me: string;
  leaseMs?: number | undefined;
  /** Errors of another release are left to others at first; undefined if it doesn't matter. */
  release?: string | undefined;
}

/**
 * Claims reports that nobody has: of high priority first, then those with fewest failed attempts, then
 * the oldest. A claim that has ended by its lease counts as a failed attempt: its process may have died
 * of the report.
 */
export async function claim(
  store: Store,
  { limit, without }: ClaimRequest,
  { me, leaseMs = defaultLeaseMs, release }: Claimer,
): Promise<ClaimedReport[]> {
  const now = store.now();
  const values = new Values();
  const isOwn =
    release === undefined
      ? "1 = 1"
      : `(release is null or release = ${values.add(release)}
          or received_at <= ${now} - ${ownReleaseMs} or received_at > ${now})`;
  // `isSendable` as SQL can ask it.
  const isSendable = `(categories & ${values.add(without & primaryCategories)}) = 0
    and (categories & ${values.add(everyCategory & ~without)}) <> 0`;
  // Materialized: some plans of Postgres would run the inner part again, and claim more.
  const text = `with free as materialized (
      select id, low, attempts, size from {outbox}
      where (free_at <= ${now} or free_at > ${now} + ${maxWaitMs})
        and ${isSendable} and ${isOwn}
      order by low, attempts, id limit ${values.add(limit)} ${store.driver.dialect.skipLocked}
    ), summed as (
      select id, sum(size) over (order by low, attempts, id) - size as before from free
    )
    update {outbox} set claimed_by = ${values.add(me)}, free_at = ${now} + ${leaseMs},
      attempts = attempts + case when claimed_by is null then 0 else 1 end
    where id in (select id from summed where before < ${claimBytes})
    returning id, received_at as "receivedAt", server, origin, low, categories, release, attempts,
      client_address as "clientAddress", envelope`;
  const [rows = []] = await store.driver.transaction([{ text, values: values.all }]);
  return (rows as unknown as (ClaimedReport & { low: number })[]).toSorted(
    (a, b) => a.low - b.low || a.attempts - b.attempts || a.id - b.id,
  );
}
