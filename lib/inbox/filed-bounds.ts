import type { Rows } from "@/lib/outbox/rows";

export interface FiledBounds {
  errors: number;
  /** Bytes that errors take, as each counts its own. */
  errorBytes: number;
  messages: number;
  messageBytes: number;
  stackBytes: number;
  maxAgeMs: number;
}

/** Together within the outbox's `maxRowBytes`. */
export const filedBounds: FiledBounds = {
  errors: 100_000,
  errorBytes: 80 * 1024 * 1024,
  messages: 10_000,
  messageBytes: 16 * 1024 * 1024,
  stackBytes: 32 * 1024 * 1024,
  maxAgeMs: 30 * 24 * 3_600_000,
};

/** Rows that one statement removes. */
const batch = 1_000;

/**
 * Removes rows beyond the bounds, those seen longest ago first, and notes about reports that are gone.
 *
 * @param now milliseconds since the epoch
 */
export async function pruneRows(rows: Rows, bounds: FiledBounds, now: number): Promise<void> {
  await rows.change([
    { text: "delete from {errors} where seen_at < $1", values: [now - bounds.maxAgeMs] },
    { text: "delete from {feedback} where seen_at < $1", values: [now - bounds.maxAgeMs] },
    {
      text: `delete from {filings} as f
        where not exists (select 1 from {reports} as r where r.id = f.report_id)`,
    },
  ]);
  await pruneOldest(rows, "errors", "event_id", bounds.errors, bounds.errorBytes);
  await pruneOldest(rows, "feedback", "message_key", bounds.messages, bounds.messageBytes);
  await rows.change([
    {
      text: `delete from {stacks} as s
        where not exists (select 1 from {errors} as e where e.stack_id = s.id)`,
    },
  ]);
  await pruneStacks(rows, bounds);
}

interface Used {
  count: number;
  bytes: number;
}

async function used(rows: Rows, table: "errors" | "feedback" | "stacks"): Promise<Used> {
  const [found] = await rows.select<Used>({
    text: `select count(*) as count, cast(coalesce(sum(size), 0) as bigint) as bytes from {${table}}`,
  });
  return found ?? { count: 0, bytes: 0 };
}

async function pruneOldest(
  rows: Rows,
  table: "errors" | "feedback",
  key: string,
  maxCount: number,
  maxBytes: number,
): Promise<void> {
  for (;;) {
    const { count, bytes } = await used(rows, table);
    const excess = Math.max(count - maxCount, bytes > maxBytes ? Math.ceil(count / 50) : 0);
    if (excess <= 0) return;
    await rows.change([
      {
        text: `delete from {${table}} where ${key} in (
          select ${key} from {${table}} order by seen_at, ${key} limit $1)`,
        values: [Math.min(excess, batch)],
      },
    ]);
  }
}

async function pruneStacks(rows: Rows, { stackBytes }: FiledBounds): Promise<void> {
  for (;;) {
    const { count, bytes } = await used(rows, "stacks");
    if (bytes <= stackBytes) return;
    await rows.change([
      {
        text: `delete from {stacks} where id in (
          select id from {stacks} order by used_at, id limit $1)`,
        values: [Math.ceil(count / 20)],
      },
    ]);
  }
}
