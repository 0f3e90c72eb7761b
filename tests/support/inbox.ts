import Database from "better-sqlite3";
import { type Decision, decisionStatement } from "@/lib/inbox/decisions";
import { ErrorGroups } from "@/lib/inbox/model/error-groups";
import { FiledErrors } from "@/lib/inbox/model/filed-errors";
import { FiledFeedback } from "@/lib/inbox/model/filed-feedback";
import { FiledPerformance } from "@/lib/inbox/model/filed-performance";
import { FiledReports } from "@/lib/inbox/model/filed-reports";
import { Filer, type FilerOptions } from "@/lib/inbox/model/filer";
import type { StoredReport } from "@/lib/outbox/outbox";
import type { Rows } from "@/lib/outbox/rows";
import { openOutbox } from "./outboxes";

export const runningRelease = "2.0.0";

/** An inbox on a real file, in which these reports lie, and in which errors are filed. */
export async function openInbox(
  reports: readonly StoredReport[],
  options: Partial<FilerOptions> = {},
) {
  const { outbox, file } = openOutbox();
  await outbox.stats();
  const add = (added: readonly StoredReport[]) => {
    const db = new Database(file);
    const insert = db.prepare(
      "INSERT INTO reports (id, received_at, origin, categories, envelope) VALUES (?, ?, ?, ?, ?)",
    );
    db.transaction(() => {
      for (const { id, receivedAt, origin, categories, envelope } of added) {
        insert.run(id, receivedAt, origin, categories, envelope);
      }
    })();
    db.close();
  };
  add(reports);
  const filer = new Filer(outbox.rows, { release: runningRelease, ...options });
  await filer.file();
  return {
    outbox,
    file,
    add,
    filer,
    sources: {
      reports: new FiledReports(outbox),
      errors: new FiledErrors(outbox.rows),
      groups: new ErrorGroups(outbox.rows),
      performance: new FiledPerformance(outbox.rows),
      feedback: new FiledFeedback(outbox.rows),
    },
  };
}

/** What the list asks for without a filter. */
export const anyError = {
  filter: { search: "", parts: {}, state: undefined },
  page: 1,
  runningRelease,
  now: 1_800_000_600_000,
};

/** Decides about a group, as a reader of the inbox does. */
export function decide(rows: Rows, group: string, state: Decision["state"], since = 0) {
  return rows.change([decisionStatement(group, state, since)]);
}

export interface GroupDecision {
  state: "resolved" | "ignored";
  since: number;
}

/** All that was decided about groups. */
export function decisionsIn(rows: Rows): Promise<(GroupDecision & { group: string })[]> {
  return rows.select({ text: 'select group_id as "group", state, since from {group_states}' });
}
