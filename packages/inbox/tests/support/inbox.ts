import { applyDecision, type Decision } from "@/packages/inbox/src/decisions";
import { type FilingOptions, InboxDestination } from "@/packages/inbox/src/destination";
import { ErrorGroups } from "@/packages/inbox/src/model/error-groups";
import { FiledFeedback } from "@/packages/inbox/src/model/feedback";
import { FiledPerformance } from "@/packages/inbox/src/model/filed-performance";
import { FiledReports } from "@/packages/inbox/src/model/filed-reports";
import type { Filing } from "@/packages/inbox/src/model/filed-statements";
import type { OpenDestination } from "@/packages/relay/src/delivery/embedded-destination";
import { type Driver, insertAll } from "@/packages/relay/src/outbox/driver";
import type { Outbox } from "@/packages/relay/src/outbox/outbox";
import type { StoredReport } from "@/packages/relay/src/outbox/reports";
import type { FrameResolver } from "@/packages/relay/src/source-maps/frames";
import { envelope, errorEvent } from "@/tests/support/envelopes";
import { openOutbox } from "@/tests/support/outboxes";

export const runningRelease = "2.0.0";

/** Knows no map. */
const unknown: FrameResolver = async (frames) =>
  frames.map(() => ({ resolved: false, late: false }));

/** A report of an error thrown in a minified chunk, or in a file of the server's. */
export function thrownIn(
  file: string,
  colno: number,
  over: Record<string, unknown> = {},
): Uint8Array {
  const frames = [
    { function: "dispatch", filename: "app:///lib.js", lineno: 1, colno: 1, in_app: false },
    { function: "r", filename: `app:///_next/${file}.js`, lineno: 1, colno, in_app: true },
  ];
  const values = [{ type: "TypeError", value: "broken", stacktrace: { frames } }];
  const event = errorEvent({ exception: { values }, ...over });
  return envelope([["event", event]], { trace: { release: event.release } });
}

/** Resolves every frame to the function that it was reported with. */
export const found: FrameResolver = async (frames) =>
  frames.map(({ function: name }) => ({
    resolved: true,
    file: "pages/a.tsx",
    line: 1,
    column: 1,
    function: String(name),
    own: true,
    code: undefined,
  }));

/** A report of an error with this message. */
export function errorOf(message: string, over: Record<string, unknown> = {}): Uint8Array {
  const exception = { values: [{ type: "Error", value: message }] };
  return envelope([["event", errorEvent({ exception, ...over })]]);
}

/** Files what can be claimed, as the dispatcher does. */
export function filerOf(outbox: Outbox, over: Partial<FilingOptions> = {}) {
  const { driver } = outbox;
  const defaults = { driver, release: runningRelease, resolve: unknown, log: () => {} };
  const destination: OpenDestination<Filing> = new InboxDestination({ ...defaults, ...over });
  outbox.rowsOf = (taken) => destination.rows(taken as Filing[]);
  const { signal } = new AbortController();
  const file = async () => {
    for (;;) {
      const reports = await outbox.claim({ limit: 16, without: 0 });
      if (reports.length === 0) return;
      await Promise.all(
        reports.map(async (report) => {
          await outbox.acknowledge(report, await destination.deliver(report, signal));
        }),
      );
    }
  };
  return { destination, file };
}

/** What pages of the inbox are read from. */
export function sourcesOf(outbox: Outbox) {
  return {
    reports: new FiledReports(outbox.driver),
    groups: new ErrorGroups(outbox.driver),
    performance: new FiledPerformance(outbox.driver),
    feedback: new FiledFeedback(outbox.driver),
  };
}

/** An inbox on a real file, in which these reports are filed. */
export async function openInbox(
  reports: readonly StoredReport[],
  over: Partial<FilingOptions> = {},
) {
  const { outbox, driver } = openOutbox();
  const rows = reports.map(({ id, receivedAt, origin, server, categories, envelope }) => ({
    ...{ id, received_at: receivedAt, origin, server, categories, envelope },
    ...{ low: 0, sender: 0, size: envelope.length },
  }));
  await driver.transaction(insertAll("outbox", rows));
  await filerOf(outbox, over).file();
  return { outbox, driver, sources: sourcesOf(outbox) };
}

/** What the list asks for without a filter. */
export const anyError = {
  filter: { search: "", parts: {}, state: undefined },
  page: 1,
  runningRelease,
  now: 1_800_000_600_000,
};

/**
 * Decides about a group, as a reader of the inbox does.
 *
 * @param seenAt milliseconds since the epoch
 */
export async function decide(driver: Driver, group: string, state: Decision["state"], seenAt = 0) {
  const fault = await applyDecision({ groups: [group], state, seenAt }, driver, seenAt);
  if (fault) throw new Error(fault.detail);
}

export interface GroupDecision {
  state: "resolved" | "ignored";
  since: number;
}

/** All that was decided about groups. */
export function decisionsIn(driver: Driver): Promise<(GroupDecision & { group: string })[]> {
  return driver.read({ text: 'select group_id as "group", state, since from {group_states}' });
}

/** @returns the number of rows in a table */
export async function countIn({ driver }: Outbox, table = "errors"): Promise<number> {
  const text = `select count(*) as count from {${table}}`;
  return (await driver.read<{ count: number }>({ text }))[0]?.count ?? 0;
}
