import type { IncomingMessage } from "node:http";
import type { BodyReservation } from "@/lib/http/body-memory";
import type { Client } from "@/lib/http/client-address";
import { isCrossSite } from "@/lib/http/cross-site";
import { type ErrorResponse, errorResponses } from "@/lib/http/error-response";
import { plainForm, readForm } from "@/lib/http/read-form";
import { isOutboxError } from "@/lib/outbox/outbox";
import type { Rows, Statement } from "@/lib/outbox/rows";
import type { ErrorGroups } from "./model/error-groups";

/** In one decision: far more errors than a page shows. */
const maxGroups = 500;

const decidable = ["open", "resolved", "ignored"] as const;

/** What somebody has decided about some groups of errors. */
export interface Decision {
  groups: string[];
  state: (typeof decidable)[number];
  /**
   * When the page was rendered on which it was decided, in milliseconds since the epoch. Nobody has
   * decided about what came later.
   */
  seenAt: number;
}

/**
 * Reads a decision from a form that a page of the inbox has sent. The caller has checked the cookie.
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
 * Puts a decision into the store, as a whole. Groups that are no longer there are left out.
 *
 * @param now milliseconds since the epoch
 * @returns why it could not be stored
 */
export async function applyDecision(
  { groups, state, seenAt }: Decision,
  known: Pick<ErrorGroups, "existing">,
  rows: Pick<Rows, "change">,
  now: number,
): Promise<ErrorResponse | undefined> {
  const since = Math.min(seenAt, now);
  try {
    const existing = await known.existing([...new Set(groups)]);
    await rows.change(existing.map((group) => decisionStatement(group, state, since)));
    return undefined;
  } catch (error) {
    // The outbox has logged why.
    if (isOutboxError(error)) return unavailable;
    throw error;
  }
}

/** Keeps what was decided about a group, in place of an earlier decision. `open` forgets that. */
export function decisionStatement(
  group: string,
  state: Decision["state"],
  since: number,
): Statement {
  if (state === "open") {
    return { text: "delete from {group_states} where group_id = $1", values: [group] };
  }
  return {
    text: `insert into {group_states} (group_id, state, since) values ($1, $2, $3)
      on conflict (group_id) do update set state = excluded.state, since = excluded.since`,
    values: [group, state, since],
  };
}

const otherSite = errorResponses.otherSite("Only pages of this site may decide about errors.");

const malformed = errorResponses.malformed("The body can't be read as a decision about errors.");

const unavailable = errorResponses.unavailable("The decision can't be stored at the moment.");
