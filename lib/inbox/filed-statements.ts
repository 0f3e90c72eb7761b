import { createHash } from "node:crypto";
import type { Statement, Value } from "@/lib/outbox/rows";
import type { ErrorRecord } from "./error-records";
import type { Frame } from "./event-detail";
import type { FeedbackMessage } from "./feedback-messages";

/** The report needs no more filing. */
export function filed(id: number): Statement {
  return { text: "update {filings} set done = 1 where report_id = $1", values: [id] };
}

/** Characters of a stack; beyond them it is kept without its code. */
const maxStackLength = 64 * 1024;

/**
 * @param stacks the frames of each exception, see `EventDetail`
 * @returns nothing where they are too long to be kept
 */
export function insertStack(stacks: readonly Frame[][], now: number) {
  let frames = JSON.stringify(stacks);
  if (frames.length > maxStackLength) {
    const bare = stacks.map((stack) => stack.map(({ source: _, ...frame }) => frame));
    frames = JSON.stringify(bare);
  }
  if (frames.length > maxStackLength) return undefined;
  const id = createHash("sha256").update(frames).digest("hex").slice(0, 32);
  const statement: Statement = {
    text: `insert into {stacks} (id, used_at, size, frames) values ($1, $2, $3, $4)
      on conflict (id) do update set used_at = excluded.used_at`,
    values: [id, now, Buffer.byteLength(frames) + 100, frames],
  };
  return { id, statement };
}

/** @returns a statement that does nothing where there is a row with the same first value */
function insertOnce(table: string, row: Record<string, Value | undefined>): Statement {
  const columns = Object.keys(row);
  return {
    text: `insert into {${table}} (${columns.join(", ")})
      values (${columns.map((_, i) => `$${i + 1}`).join(", ")})
      on conflict (${columns[0]}) do nothing`,
    values: Object.values(row).map((value) => value ?? null),
  };
}

export function insertMessage(message: FeedbackMessage): Statement {
  const { key, reportId, name, contact, page, about, at } = message;
  const texts = [key, key, message.message, name, contact, page].join("");
  return insertOnce("feedback", {
    message_key: key,
    report_id: reportId,
    message: message.message,
    name,
    contact,
    page,
    about,
    seen_at: at,
    size: overheadBytes + Buffer.byteLength(texts),
  });
}

/** Of the entries in indexes, and of the row beside its texts. Pages are not full: a third more. */
const overheadBytes = 400;

export function insertError(error: ErrorRecord, stackId: string | undefined): Statement {
  const { type, message, route, file, release, environment } = error;
  const words = [type, message, route, file].filter(Boolean).join("\n").toLowerCase();
  // The row, and what indexes repeat of it.
  const texts = [words, words, route, release, release, environment].join("");
  return insertOnce("errors", {
    event_id: error.eventId,
    report_id: error.reportId,
    group_id: error.group,
    kind: error.kind,
    type,
    message,
    file,
    seen_at: error.at,
    origin: error.origin,
    route,
    release,
    environment,
    trace_id: error.traceId,
    stack_id: stackId,
    words,
    size: overheadBytes + Math.round(1.3 * Buffer.byteLength(texts)),
  });
}
