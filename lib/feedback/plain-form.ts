import type { IncomingMessage, ServerResponse } from "node:http";
import type { Relay } from "@signpost/relay";
import {
  type Client,
  ClientLimit,
  clientReader,
  type ErrorResponse,
  errorResponses,
  isCrossSite,
  readForm,
  respond,
  shareKey,
  writeErrorResponse,
} from "@signpost/relay/http";
import type { Outbox } from "@signpost/relay/store";
import { isOutboxError } from "@signpost/relay/store";
import { relay, runtimeConfig } from "@signpost/sentry/server";
import { defaultLocale, hasLocalePrefixes, isLocale } from "@/lib/messages/locales";
import { feedbackEnvelope } from "./feedback-envelope";
import { type Faults, type FeedbackOutcome, feedbackFields, honeypot, type Problem } from "./form";
import { checkFeedback } from "./schema";

/** What the page for a refused form shows. */
export interface RefusedForm extends FeedbackOutcome {
  /** One of the app's; without i18n, empty. */
  locale: string;
  /** What was typed, to be shown again. */
  values: Record<string, string>;
}

export interface PlainFormOptions {
  /** Resolves once the envelope is on disk. */
  append: Outbox["append"];
  /** Shared with everything else that reads bodies. */
  memory: Relay["memory"];
  trustedProxies: string[];
  release: string;
  environment: string;
  /** Of messages, shared with the tunnel. */
  limit: ClientLimit;
  /** Told of each form that is refused, with the code of the answer. Must not throw. */
  onRefused?(reason: string): unknown;
  /** Renders a whole HTML document. */
  page(refused: RefusedForm): Promise<string>;
  /** Where the visitor is redirected once the message is stored. */
  thanks(locale: string): string;
}

type Fields = Record<string, string>;

interface Refusal extends ErrorResponse {
  faults?: Faults;
  problem?: Problem;
}

/** Whatever else a body holds is not read. */
const knownFields = [...feedbackFields, honeypot, "locale"];

/** Forms a minute from one client address: people correct mistakes, or try again after a 429. */
const formRate = { max: 60, networkMax: 480 };

/** Messages in a minute of which nobody says which site's page they come from. */
const opaqueRate = { max: 60, networkMax: 60, totalMax: 60 };

/** How much of a field is shown again: enough to shorten what is too long. */
const maxShown = { message: 16_000, other: 500 };

/** The page for a refused form sends nothing but the form. */
const pagePolicy =
  "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; style-src 'self'; img-src 'self'";

/** Takes what visitors without JavaScript write: for the others, Sentry does. */
export class PlainForm {
  readonly #options: PlainFormOptions;
  readonly #clientOf: (request: IncomingMessage) => Client;
  readonly #formLimit = new ClientLimit(formRate);
  readonly #opaqueLimit = new ClientLimit(opaqueRate);

  constructor(options: PlainFormOptions) {
    this.#options = options;
    this.#clientOf = clientReader(options.trustedProxies);
  }

  /**
   * Answers any POST.
   *
   * @throws what the outbox throws, except for an OutboxError
   */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const client = this.#clientOf(request);
    // A stranger can send a message himself: one under a visitor's address gains him no more than
    // `#opaqueLimit` lets him use up of what all may send.
    if (isCrossSite(request.headers, { ...client, takesOpaqueOrigin: true })) {
      return this.#refuse(request, response, crossSite);
    }
    const tooMany = this.#formLimit.take(client.address);
    // Nobody fills in so many forms: this is for programs. No body is read and no page is made.
    if (tooMany) {
      const detail = `This ${tooMany.by} sends too many forms.`;
      const error = errorResponses.rateLimited(detail, tooMany.seconds);
      this.#options.onRefused?.(error.error);
      return writeErrorResponse(request, response, error);
    }
    const reservation = this.#options.memory.reserve(shareKey(client.address));
    try {
      const form = await readForm(request, reservation);
      if (form === "gone") return;
      if ("error" in form) {
        // Before the response, which may wait for what the client is still sending.
        reservation.release();
        // No memory is left, for this address or at all.
        const problem = form.status >= 429 ? "busy" : problems[form.status];
        return await this.#refuse(request, response, { ...form, problem });
      }
      const fields = fieldsOf(form);
      const refusal = fields[honeypot] ? undefined : await this.#store(fields, client, request);
      if (refusal) return await this.#refuse(request, response, refusal, fields);
      const headers = { Location: this.#options.thanks(localeOf(fields)) };
      await respond(request, response, { status: 303, headers, body: "" });
    } finally {
      reservation.release();
    }
  }

  async #store(
    fields: Fields,
    client: Client,
    { headers }: IncomingMessage,
  ): Promise<Refusal | undefined> {
    const checked = checkFeedback(fields);
    if ("faults" in checked) return { ...invalidFields, faults: checked.faults };
    const opaque = headers.origin === "null" ? this.#opaqueLimit.take(client.address) : undefined;
    const exceeded = opaque ?? this.#options.limit.take(client.address);
    if (exceeded) {
      const error = errorResponses.rateLimited("Too many messages are sent.", exceeded.seconds);
      return { ...error, problem: exceeded.by === "address" ? "tooMany" : "busy" };
    }
    const { append, release, environment } = this.#options;
    const envelope = feedbackEnvelope(checked.feedback, {
      release,
      environment,
      page: ownPage(headers.referer, headers.host),
    });
    try {
      await append(envelope, "browser", { senderKey: shareKey(client.address) });
      return undefined;
    } catch (error) {
      this.#options.limit.giveBack(client.address);
      // The outbox has logged why.
      if (isOutboxError(error)) return unavailable;
      throw error;
    }
  }

  async #refuse(
    request: IncomingMessage,
    response: ServerResponse,
    { status, headers, error, faults, problem }: Refusal,
    fields: Fields = {},
  ): Promise<void> {
    this.#options.onRefused?.(error);
    const values = shownAgain(fields);
    const body = await this.#options.page({ locale: localeOf(fields), values, faults, problem });
    await respond(request, response, {
      status,
      headers: {
        "Content-Type": "text/html; charset=utf-8",
        "Content-Security-Policy": pagePolicy,
        ...headers,
      },
      body,
    });
  }
}

/** What a body that can't be read means for the visitor, by the status of the answer. */
const problems: Partial<Record<number, Problem>> = {
  400: "unreadable",
  408: "failed",
  413: "tooLarge",
  415: "unreadable",
};

const invalidFields: Refusal = {
  status: 422,
  error: "invalid",
  detail: "Some fields are not valid.",
};

const crossSite: Refusal = {
  ...errorResponses.otherSite("Only pages of this site may send feedback here."),
  problem: "otherSite",
};

const unavailable: Refusal = {
  ...errorResponses.unavailable("The message can't be stored at the moment."),
  problem: "failed",
};

/** The first value of each field. */
function fieldsOf(sent: URLSearchParams): Fields {
  const named = knownFields.filter((name) => sent.has(name));
  return Object.fromEntries(named.map((name) => [name, sent.get(name) ?? ""]));
}

function localeOf({ locale }: Fields): string {
  if (!hasLocalePrefixes) return "";
  return isLocale(locale) ? locale : defaultLocale;
}

function shownAgain(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      value.slice(0, name === "message" ? maxShown.message : maxShown.other),
    ]),
  );
}

/** The page with the form, without its query, which may be private. Nothing if the browser names none, or one of another host. */
function ownPage(referer: string | undefined, host: string | undefined): string | undefined {
  if (!referer || referer.length > 2000 || !URL.canParse(referer)) return undefined;
  const { origin, pathname, host: named } = new URL(referer);
  return named === host ? origin + pathname : undefined;
}

let configured: PlainForm | undefined;

/**
 * The one of this process, as configured.
 *
 * @param answers what a form is answered with
 * @throws {import("@signpost/sentry/config").ConfigError}
 */
export function configuredForm(answers: Pick<PlainFormOptions, "page" | "thanks">): PlainForm {
  const { trustedProxies, release, environment } = runtimeConfig();
  configured ??= new PlainForm({
    append: (envelope, origin, details) => relay().outbox.append(envelope, origin, details),
    memory: relay().memory,
    limit: relay().feedbackLimit,
    trustedProxies,
    release,
    environment,
    // A field that a visitor has to correct is no news.
    onRefused: (reason) => reason !== "invalid" && relay().refusals.note("feedback", reason),
    ...answers,
  });
  return configured;
}
