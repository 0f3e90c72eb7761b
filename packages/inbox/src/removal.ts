import { setImmediate as yieldToOthers } from "node:timers/promises";
import { readEnvelope } from "@signpost/relay/envelope";
import { type Driver, type Statement, type Value, Values } from "@signpost/relay/store";
import { type Fields, fields, list, parseObject, userId } from "./model/fields.ts";
import { writerLock } from "./tables.ts";

/** An event by its id, a group of errors by its own, or all that is about a user, by the id given to `setUser`. */
export interface RemovalSubject {
  kind: "event" | "group" | "user";
  id: string;
}

/** How many rows and whole reports were removed. */
export interface Removed {
  errors: number;
  messages: number;
  reports: number;
}

/** Errors, or messages, of one transaction: others have their turn after it. */
const batch = 250;
/** Whole reports in memory at once, of up to `maxBytes` of the relay each. */
const scanned = 8;

const columnOf = { event: "event_id", group: "group_id", user: "user_id" } as const;

/**
 * Removes for good what was filed about a subject: errors with what is searched of them, messages about
 * these errors, and the reports that all of it came in. With a group goes what was decided about it. Of a user, messages of his or hers besides, and
 * every whole report that names the user, such as a trace or a batch of logs, others' logs in it included.
 * A report that can't be read names the user if the id stands in it.
 * Measurements stay: they are numbers of a route. What comes in meanwhile may stay, too.
 *
 * @throws {import("@signpost/relay/store").OutboxError}
 */
export async function removeAbout({ kind, id }: RemovalSubject, driver: Driver): Promise<Removed> {
  const removed: Removed = { errors: 0, messages: 0, reports: 0 };
  const change = async (statements: readonly Statement[]) => {
    const found = await driver.transaction([writerLock(driver.dialect), ...statements]);
    for (const row of found.flat()) {
      if (isCounted(row.counted)) removed[row.counted] += 1;
    }
  };
  const errorsOf = `select event_id, report_id, group_id, variant_id, stack_id from {errors}
    where ${columnOf[kind]} = $1 limit ${batch}`;
  for await (const rows of batches<ErrorKeys>(driver, errorsOf, id)) {
    await change(errorRemoval(rows));
  }
  if (kind === "group") await change([deletion("group_states", "group_id", [id])]);
  if (kind !== "user") return removed;
  const messagesOf = `select message_key, report_id from {feedback} where user_id = $1 limit ${batch}`;
  for await (const rows of batches<{ message_key: string; report_id: number }>(
    driver,
    messagesOf,
    id,
  )) {
    await change([
      ...reportRemoval(rows.map((row) => row.report_id)),
      deletion(
        "feedback",
        "message_key",
        rows.map((row) => row.message_key),
      ),
    ]);
  }
  for await (const reports of reportsNaming(id, driver)) await change(reportRemoval(reports));
  return removed;
}

const isCounted = (name: unknown): name is keyof Removed =>
  name === "errors" || name === "messages" || name === "reports";

/** Reads rows until none is left: whoever asks for the next ones has removed those before. */
async function* batches<Found extends object>(
  driver: Pick<Driver, "read">,
  text: string,
  id: string,
): AsyncIterable<Found[]> {
  let size = batch;
  while (size === batch) {
    const rows = await driver.read<Found>({ text, values: [id] });
    size = rows.length;
    if (size > 0) yield rows;
  }
}

type ErrorKeys = Record<"event_id" | "group_id" | "variant_id", string> & {
  report_id: number;
  stack_id: string | null;
};

/** With all that no other error has a use for. */
function errorRemoval(rows: readonly ErrorKeys[]): Statement[] {
  const events = rows.map((row) => row.event_id);
  const values = new Values();
  const about = `select report_id from {feedback} where about in (${values.list(events)})`;
  const unused = (table: string, key: string, column: keyof ErrorKeys): Statement => {
    const used = new Values();
    const ids = [...new Set(rows.map((row) => row[column]))].filter((one) => one !== null);
    return {
      text: `delete from {${table}} as t where t.${key} in (${used.list(ids)})
        and not exists (select 1 from {errors} as e where e.${column} = t.${key})`,
      values: used.all,
    };
  };
  return [
    ...reportRemoval(rows.map((row) => row.report_id)),
    ...reportTables.map((table) => deletionWhere(table, `report_id in (${about})`, values.all)),
    deletion("feedback", "about", events),
    deletion("errors", "event_id", events),
    unused("error_variants", "id", "variant_id"),
    unused("error_groups", "group_id", "group_id"),
    ...(rows.some((row) => row.stack_id !== null) ? [unused("stacks", "id", "stack_id")] : []),
  ];
}

const reportTables = ["kept_reports", "unfiled_items"];

function reportRemoval(ids: readonly number[]): Statement[] {
  return ids.length === 0 ? [] : reportTables.map((table) => deletion(table, "report_id", ids));
}

function deletion(table: string, column: string, ids: readonly Value[]): Statement {
  const values = new Values();
  return deletionWhere(table, `${column} in (${values.list(ids)})`, values.all);
}

const countedAs: Record<string, keyof Removed> = {
  kept_reports: "reports",
  feedback: "messages",
  errors: "errors",
};

function deletionWhere(table: string, where: string, values: readonly Value[]): Statement {
  const counted = countedAs[table];
  const returning = counted ? ` returning '${counted}' as counted` : "";
  return { text: `delete from {${table}} where ${where}${returning}`, values };
}

/** Finds whole reports by what is in them: nothing is filed of logs and replays, and no user of a trace. */
async function* reportsNaming(user: string, driver: Pick<Driver, "read">): AsyncIterable<number[]> {
  let last = 0;
  for (;;) {
    const rows = await driver.read<{ report_id: number; envelope: Uint8Array }>({
      text: `select report_id, envelope from {kept_reports} where report_id > $1
        order by report_id limit ${scanned}`,
      values: [last],
    });
    const naming: number[] = [];
    for (const { report_id, envelope } of rows) {
      last = report_id;
      await yieldToOthers();
      if (names(envelope, user)) naming.push(report_id);
    }
    if (naming.length > 0) yield naming;
    if (rows.length < scanned) return;
  }
}

function names(envelope: Uint8Array, user: string): boolean {
  // JSON may write any other character in two ways.
  const bytes = Buffer.from(envelope.buffer, envelope.byteOffset, envelope.byteLength);
  if (/^[\w.@:-]+$/.test(user) && !bytes.includes(user)) return false;
  const read = readEnvelope(envelope);
  if ("fault" in read) return holds(envelope, user);
  return read.items.some(({ type, payload }) => {
    const parsed = parseObject(payload, "span");
    if (parsed) return usersIn(parsed).includes(user);
    return !withoutUser.includes(type) && holds(payload, user);
  });
}

/** Items that are no JSON objects and name no user. In the bytes of one, any short id stands somewhere. */
const withoutUser = ["attachment", "replay_recording"];

/** Of bytes that can't be read: whether the user stands in them, as text or as JSON writes it most often. */
function holds(bytes: Uint8Array, user: string): boolean {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return all.includes(user) || all.includes(JSON.stringify(user).slice(1, -1));
}

/**
 * The user of an event, a trace, a replay or a message, and those of logs, metrics and spans in a container.
 * Source: https://develop.sentry.dev/sdk/telemetry/attributes/
 */
function usersIn(payload: Fields): (string | undefined)[] {
  const parts = [payload, ...list(payload.items), ...list(payload.spans)].map(fields);
  return parts.flatMap(({ user, attributes, data }) => [
    userId(fields(user).id),
    userId(fields(fields(attributes)["user.id"]).value),
    userId(fields(data)["user.id"]),
  ]);
}
