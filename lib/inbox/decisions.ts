import type { IncomingMessage } from "node:http";
import type { BodyReservation, Client } from "@signpost/sentry/server";
import {
  type Driver,
  type ErrorResponse,
  errorResponses,
  isCrossSite,
  isOutboxError,
  plainForm,
  readForm,
  Values,
} from "@signpost/sentry/server";

/** In one decision: far more errors than a page shows. */
const maxGroups = 500;

const decidable = ["open", "resolved", "ignored"] as const;

export interface Decision {
  groups: string[];
  state: (typeof decidable)[number];
  /** When the page was rendered on which it was decided. Nobody has decided about what came later. */
  seenAt: number;
}

/**
 * Reads a decision from a form. The caller has checked the cookie.
 *
 * @param reservation memory for the body. The caller releases it
 * @returns `gone` if the client has disconnected
 */
export async function readDecision(
  request: IncomingMessage,
  client: Client,
  reservation: BodyReservation,
): Promise<Decision | ErrorResponse | "gone"> {
  if (isCrossSite(request.headers, client.behindTrustedProxy)) return otherSite;
  const form = await readForm(request, [plainForm], reservation);
  return form === "gone" || "error" in form ? form : parseDecision(new URLSearchParams(form.text));
}

function parseDecision(form: URLSearchParams): Decision | ErrorResponse {
  const [given, ...others] = form.getAll("state");
  const state = decidable.find((one) => one === given);
  const groups = form.getAll("group");
  const seenAt = Number(form.get("seen") || Number.NaN);
  const areIds = groups.every((id) => /^[0-9a-f]{16}$/.test(id));
  if (!state || others.length > 0 || groups.length > maxGroups || !areIds) return malformed;
  return Number.isSafeInteger(seenAt) && seenAt > 0 ? { groups, state, seenAt } : malformed;
}

/**
 * Keeps what was decided in place of an earlier decision; `open` forgets that. Groups that are no longer
 * there are left out.
 *
 * @param now milliseconds since the epoch @returns why it could not be stored
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
  try {
    await driver.transaction([{ text, values: values.all }]);
    return undefined;
  } catch (error) {
    // The outbox has logged why.
    if (isOutboxError(error)) return unavailable;
    throw error;
  }
}

const otherSite = errorResponses.otherSite("Only pages of this site may decide about errors.");
const malformed = errorResponses.malformed("The body can't be read as a decision about errors.");
const unavailable = errorResponses.unavailable("The decision can't be stored at the moment.");
