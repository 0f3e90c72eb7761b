import type { IncomingMessage, ServerResponse } from "node:http";
import type { BodyMemory, Outbox } from "@signpost/sentry/server";
import {
  bodyMemory,
  type Client,
  type ClientLimit,
  clientReader,
  errorResponses,
  feedbackLimit,
  isCrossSite,
  isOutboxError,
  outbox,
  RateLimit,
  rateKey,
  refusals,
  releases,
  respond,
  respondJson,
  runtimeConfig,
  senderKey,
  shareKey,
  singleton,
  writeErrorResponse,
} from "@signpost/sentry/server";
import { defaultLocale, hasLocalePrefixes, isLocale } from "@/lib/messages/locales";
import { feedbackEnvelope } from "./envelope";
import { type FeedbackOutcome, honeypot } from "./form";
import { type FeedbackError, readFeedback, senderOf } from "./read-form";
import { checkFeedback, problemOf } from "./schema";

/** What the page for a refused plain form shows. */
export interface RefusedPage extends FeedbackOutcome {
  /** One of the app's; without i18n, empty. */
  locale: string;
  /** What was typed, to be shown again. */
  values: Record<string, string>;
}

export interface IntakeOptions {
  /** Resolves once the envelope is on disk. */
  append: Outbox["append"];
  /** Shared with everything else that reads bodies. */
  memory: BodyMemory;
  trustedProxies: string[];
  /** @see Releases.ofPage */
  releaseOf(build: unknown): Promise<string | undefined>;
  environment: string;
  /** Of messages, shared with every other way that they come in. */
  limit: ClientLimit;
  /** Requests a minute from one client address: people correct mistakes, or try again after a 429. */
  requestRate?: number;
  /** Told of each message that is refused, with the code of the answer. Must not throw. */
  onRefused?(reason: string): unknown;
  /** Renders a whole HTML document. */
  page(refused: RefusedPage): string | Promise<string>;
  /** Where a plain form is redirected once its message is stored. */
  thanks(locale: string): string;
}

/** Of the requests beyond the limit, a plain form is still read up to this multiple of it. */
const maxRefused = 2;

/** How much of a field is shown again: enough to shorten what is too long. */
const maxShown = { message: 16_000, other: 500 };

/** The page for a refused form sends nothing but the form. */
const pagePolicy =
  "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; style-src 'self'; img-src 'self'";

/** Puts what visitors write, sent by a script as JSON or by a plain form, into the outbox. */
export class FeedbackIntake {
  readonly #options: IntakeOptions;
  readonly #clientOf: (request: IncomingMessage) => Client;
  readonly #requestLimit: RateLimit;
  readonly #readLimit: RateLimit;
  /** Messages in a minute of which nobody says which site's page they come from. */
  readonly #opaqueLimit = new RateLimit({ max: 60 });

  constructor({ requestRate = 60, ...options }: IntakeOptions) {
    this.#options = options;
    this.#clientOf = clientReader(options.trustedProxies);
    this.#requestLimit = new RateLimit({ max: requestRate });
    this.#readLimit = new RateLimit({ max: requestRate * maxRefused });
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
    const key = rateKey(client.address);
    const unread = await this.#readLimit.take(key);
    // Nobody fills in so many forms: this is for programs.
    if (unread > 0) {
      this.#options.onRefused?.(tooManyRequests(unread).error);
      return writeErrorResponse(request, response, tooManyRequests(unread));
    }
    const wait = await this.#requestLimit.take(key);
    const refused = wait > 0 ? tooManyRequests(wait) : undefined;
    // A script still has what was typed. A plain form has it only in the body.
    if (refused && senderOf(request) === "script") return this.#refuse(request, response, refused);
    const reservation = this.#options.memory.reserve(shareKey(client.address));
    try {
      const form = await readFeedback(request, reservation);
      if (form === "gone") return;
      if ("fields" in form) {
        if (refused) return await this.#refuse(request, response, refused, form.fields);
        return await this.#answer(form.fields, client, request, response);
      }
      // Before the response, which may wait for what the client is still sending.
      reservation.release();
      await this.#refuse(request, response, refused ?? form);
    } finally {
      reservation.release();
    }
  }

  async #answer(
    fields: Record<string, unknown>,
    client: Client,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const outcome = fields[honeypot] ? { id: null } : await this.#store(fields, client, request);
    if ("error" in outcome) return this.#refuse(request, response, outcome, fields);
    if (senderOf(request) === "script") {
      return respondJson(request, response, { status: 200, body: outcome });
    }
    const headers = { Location: this.#options.thanks(localeOf(fields)) };
    return respond(request, response, { status: 303, headers, body: "" });
  }

  async #store(
    fields: Record<string, unknown>,
    client: Client,
    { headers }: IncomingMessage,
  ): Promise<{ id: string } | FeedbackError> {
    const checked = checkFeedback(fields);
    if ("faults" in checked) return { ...errorResponses.invalidFields, faults: checked.faults };
    const opaque = headers.origin === "null" ? await this.#opaqueLimit.take("all") : 0;
    if (opaque > 0) return busy("Too many messages are being sent at once.", opaque);
    const exceeded = await this.#options.limit.take(client.address);
    if (exceeded?.by === "address") {
      return errorResponses.rateLimited("This address sends too many messages.", exceeded.seconds);
    }
    if (exceeded) return busy("Too many messages are being sent at once.", exceeded.seconds);
    const { append, releaseOf, environment } = this.#options;
    const release = await releaseOf(fields.build);
    const page = ownPage(headers.referer, headers.host);
    const userAgent = headers["user-agent"];
    const context = { release, environment, page, userAgent, now: Date.now() };
    const { id, envelope } = feedbackEnvelope(checked.feedback, context);
    try {
      await append(envelope, "browser", { sender: senderKey(client.address) });
      return { id };
    } catch (error) {
      // The outbox has logged why.
      if (isOutboxError(error)) return unavailable;
      throw error;
    }
  }

  async #refuse(
    request: IncomingMessage,
    response: ServerResponse,
    { faults, problem, ...error }: FeedbackError,
    fields: Record<string, unknown> = {},
  ): Promise<void> {
    this.#options.onRefused?.(error.error);
    if (senderOf(request) === "script") {
      return writeErrorResponse(request, response, {
        ...error,
        extra: faults && { fields: faults },
      });
    }
    const { status, headers } = error;
    const body = await this.#options.page({
      locale: localeOf(fields),
      values: shownAgain(fields),
      faults,
      problem: faults ? undefined : (problem ?? problemOf(status)),
    });
    return respond(request, response, {
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

const crossSite = errorResponses.otherSite("Only pages of this site may send feedback here.");

const unavailable = errorResponses.unavailable("The message can't be stored at the moment.");

function tooManyRequests(seconds: number): FeedbackError {
  return busy("This address sends too much at once.", seconds);
}

function busy(detail: string, seconds: number): FeedbackError {
  return { ...errorResponses.rateLimited(detail, seconds), problem: "busy" };
}

function localeOf({ locale }: Record<string, unknown>): string {
  if (!hasLocalePrefixes) return "";
  return isLocale(locale) ? locale : defaultLocale;
}

function shownAgain(fields: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      `${value}`.slice(0, name === "message" ? maxShown.message : maxShown.other),
    ]),
  );
}

/** The page with the form. Nothing if the browser names none, or one of another host. */
function ownPage(referer: string | undefined, host: string | undefined): string | undefined {
  if (!referer || referer.length > 2000 || !URL.canParse(referer)) return undefined;
  return new URL(referer).host === host ? referer : undefined;
}

/**
 * The feedback intake of this process, as configured.
 *
 * @param answers what a plain form is answered with
 * @throws {import("@signpost/sentry/server").ConfigError}
 */
export function feedbackIntake(answers: Pick<IntakeOptions, "page" | "thanks">): FeedbackIntake {
  return singleton("feedback", () => {
    const { trustedProxies, environment } = runtimeConfig();
    return new FeedbackIntake({
      append: (envelope, origin, details) => outbox().append(envelope, origin, details),
      memory: bodyMemory(),
      limit: feedbackLimit(),
      trustedProxies,
      releaseOf: (build) => releases().ofPage(build),
      environment,
      // A field that a visitor has to correct is no news.
      onRefused: (reason) => reason !== "invalid" && refusals().note("feedback", reason),
      ...answers,
    });
  });
}
