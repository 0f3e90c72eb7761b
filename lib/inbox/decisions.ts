import type { IncomingMessage } from "node:http";
import type { BodyReservation } from "@/lib/http/body-memory";
import type { Client } from "@/lib/http/client-address";
import { isCrossSite } from "@/lib/http/cross-site";
import { readBody } from "@/lib/http/read-body";
import { type Refusal, retryAfter, retryAfterSeconds } from "@/lib/http/refusal";
import { isOutboxError, type Outbox } from "@/lib/outbox/outbox";
import type { FiledErrors } from "./filed-errors";

/** A form has room for the ids of far more errors than a page shows. */
const max = { bytes: 64 * 1024, groups: 500 };

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
): Promise<Decision | Refusal | "gone"> {
  const { headers } = request;
  if (isCrossSite(headers, client.behindTrustedProxy)) return otherSite;
  const type = headers["content-type"]?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/x-www-form-urlencoded") return unsupportedType;
  const body = await readBody(request, { maxBytes: max.bytes, reservation });
  if (body === "gone") return body;
  if (body === "too_large") return tooLarge;
  if (body === "no_room") return unavailable;
  if (body === "too_slow") return malformed;
  return parseDecision(new URLSearchParams(new TextDecoder().decode(body)));
}

function parseDecision(form: URLSearchParams): Decision | Refusal {
  const [given, ...others] = form.getAll("state");
  const state = decidable.find((one) => one === given);
  const groups = form.getAll("group");
  const seenAt = Number(form.get("seen") || Number.NaN);
  const areIds = groups.every((id) => /^[0-9a-f]{16}$/.test(id));
  if (!state || others.length > 0 || groups.length > max.groups || !areIds) return malformed;
  return Number.isSafeInteger(seenAt) && seenAt > 0 ? { groups, state, seenAt } : malformed;
}

/**
 * Puts a decision into the store. Groups that are no longer there are left out.
 *
 * @param now milliseconds since the epoch
 * @returns why it could not be stored
 */
export async function applyDecision(
  { groups, state, seenAt }: Decision,
  errors: Pick<FiledErrors, "existing">,
  store: Pick<Outbox, "setGroupState">,
  now: number,
): Promise<Refusal | undefined> {
  const since = Math.min(seenAt, now);
  try {
    for (const group of await errors.existing([...new Set(groups)])) {
      await store.setGroupState(group, state, since);
    }
    return undefined;
  } catch (error) {
    // The outbox has logged why.
    if (isOutboxError(error)) return unavailable;
    throw error;
  }
}

const otherSite: Refusal = {
  status: 403,
  error: "other_site",
  detail: "Only pages of this site may decide about errors.",
};

const unsupportedType: Refusal = {
  status: 415,
  error: "unsupported_type",
  detail: "The body must be application/x-www-form-urlencoded.",
};

const tooLarge: Refusal = { status: 413, error: "too_large", detail: "The body is too large." };

const malformed: Refusal = {
  status: 400,
  error: "malformed",
  detail: "The body can't be read as a decision about errors.",
};

const unavailable: Refusal = {
  status: 503,
  error: "unavailable",
  detail: "The decision can't be stored at the moment.",
  headers: retryAfter(retryAfterSeconds),
};
