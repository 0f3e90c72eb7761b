import { type ErrorResponse, errorResponses } from "@signpost/relay/http";
import { type Driver, isOutboxError, Values } from "@signpost/relay/store";
import { eventId, userId } from "./model/fields.ts";
import { isGroupId } from "./model/group-id.ts";
import { type RemovalSubject, type Removed, removeAbout } from "./removal.ts";

/** In one decision: far more errors than a page shows. */
const maxGroups = 500;

const decidable = ["open", "resolved", "ignored"] as const;

export interface Decision {
  groups: string[];
  state: (typeof decidable)[number];
  /** When the page was rendered on which it was decided. Nobody has decided about what came later. */
  seenAt: number;
}

/** To remove for good all that is about this. */
export interface Removal {
  remove: RemovalSubject;
}

/** Reads a decision, or what is to be removed, from a form. The caller has checked the cookie and the site. */
export function readDecision(form: URLSearchParams): Decision | Removal | ErrorResponse {
  return form.has("remove") ? parseRemoval(form) : parseDecision(form);
}

/** A form names what can be removed, and its button which of that. */
function parseRemoval(form: URLSearchParams): Removal | ErrorResponse {
  const [given, ...others] = form.getAll("remove");
  const kind = (["event", "group", "user"] as const).find((one) => one === given);
  const [id = "", ...more] = kind ? form.getAll(kind) : [];
  if (!kind || others.length > 0 || more.length > 0) return malformed;
  const isId = { event: eventId(id) === id, group: isGroupId(id), user: userId(id) === id };
  return isId[kind] ? { remove: { kind, id } } : malformed;
}

function parseDecision(form: URLSearchParams): Decision | ErrorResponse {
  const [given, ...others] = form.getAll("state");
  const state = decidable.find((one) => one === given);
  const groups = form.getAll("group");
  const seenAt = Number(form.get("seen") || Number.NaN);
  const areIds = groups.every(isGroupId);
  if (!state || others.length > 0 || groups.length > maxGroups || !areIds) return malformed;
  return Number.isSafeInteger(seenAt) && seenAt > 0 ? { groups, state, seenAt } : malformed;
}

/**
 * Keeps what was decided in place of an earlier decision; `open` forgets that. Groups that are no longer
 * there are left out.
 *
 * @param now milliseconds since the epoch
 * @returns why it could not be stored
 */
export async function applyDecision(
  { groups, state, seenAt }: Decision,
  driver: Pick<Driver, "transaction">,
  now: number,
): Promise<ErrorResponse | undefined> {
  if (groups.length === 0) return undefined;
  const values = new Values();
  const these = `group_id in (${values.list(groups)})`;
  // In one order, so that no two decisions wait for each other.
  const decided = `insert into {group_states} (group_id, state, since)
    select group_id, '${state}', ${Math.min(seenAt, now)} from {error_groups}
    where ${these} order by group_id
    on conflict (group_id) do update set state = excluded.state, since = excluded.since`;
  const text = state === "open" ? `delete from {group_states} where ${these}` : decided;
  return unlessUnavailable(async () => {
    await driver.transaction([{ text, values: values.all }]);
    return undefined;
  }, notStored);
}

/** @returns what was removed, or why not all of it */
export function applyRemoval(
  { remove }: Removal,
  driver: Driver,
): Promise<Removed | ErrorResponse> {
  return unlessUnavailable(() => removeAbout(remove, driver), notAllRemoved);
}

async function unlessUnavailable<T>(
  run: () => Promise<T>,
  unavailable: ErrorResponse,
): Promise<T | ErrorResponse> {
  try {
    return await run();
  } catch (error) {
    // The outbox has logged why.
    if (isOutboxError(error)) return unavailable;
    throw error;
  }
}

const malformed = errorResponses.malformed(
  "The body can't be read as a decision about errors, or as their removal.",
);
const notStored = errorResponses.unavailable("The decision can't be stored at the moment.");
const notAllRemoved = errorResponses.unavailable("Only a part may have been removed: do it again.");
