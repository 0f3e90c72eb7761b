import type { IncomingMessage, ServerResponse } from "node:http";
import { writeBytes } from "@/lib/http/answer";
import type { BytesInHand } from "@/lib/http/body-memory";
import { type Client, clientReader, rateKey } from "@/lib/http/client-address";
import { comesFromOtherSite } from "@/lib/http/cross-site";
import { retryAfterSeconds } from "@/lib/http/limits";
import { Rate } from "@/lib/http/rate-limit";
import { defaultLocale, isLocale, type Locale } from "@/lib/messages/locales.js";
import { type Outbox, OutboxError } from "@/lib/outbox/outbox";
import { feedbackEnvelope } from "./envelope";
import { type FeedbackOutcome, honeypot, problemOf } from "./form";
import { readForm, senderOf } from "./read-form";
import { checkFeedback } from "./schema";

/** What a plain form gets back when it is refused. */
export interface RefusedPage extends FeedbackOutcome {
  locale: Locale;
  /** What was typed, to be shown again. */
  values: Record<string, string>;
}

export interface IntakeOptions {
  /** Resolves once the envelope is on disk. */
  append: Outbox["append"];
  /** Shared with whatever else takes in bodies. */
  inHand: BytesInHand;
  trustedProxies: string[];
  release: string;
  environment: string;
  /** Messages taken a minute from one client address; `readsPerMessage` times as many are read. */
  rate?: number;
  /** A whole HTML document. */
  page(refused: RefusedPage): string;
  /** Where a plain form goes on to when its message was taken. */
  thanks(locale: Locale): string;
}

interface Refusal extends FeedbackOutcome {
  status: number;
  error: string;
  detail: string;
  /** Seconds. */
  retryAfter?: number;
}

/** So that mistakes can be mended, and whoever waits has the text shown again. */
const readsPerMessage = 6;

/** The page that a refused form gets runs nothing, and sends nothing but the form. */
const pagePolicy =
  "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** Takes what visitors write, from a script as JSON or from a plain form, into the outbox. */
export class FeedbackIntake {
  readonly #options: IntakeOptions;
  readonly #clientOf: (request: IncomingMessage) => Client;
  readonly #rate: Rate;
  readonly #reads: Rate;

  constructor({ rate = 10, ...options }: IntakeOptions) {
    this.#options = options;
    this.#clientOf = clientReader(options.trustedProxies);
    this.#rate = new Rate(rate);
    this.#reads = new Rate(rate * readsPerMessage);
  }

  /** Answers a POST, whatever it holds. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const client = this.#clientOf(request);
    if (comesFromOtherSite(request.headers, client.behindTrustedProxy)) {
      const detail = "Only this site's own pages send feedback here.";
      return this.#refuse(request, response, { status: 403, error: "other_site", detail });
    }
    const key = rateKey(client.address);
    const retryAfter = await this.#reads.take(key);
    if (retryAfter > 0) return this.#refuse(request, response, { ...unread[429], retryAfter });
    const hold = this.#options.inHand.hold(key);
    try {
      const form = await readForm(request, hold);
      if (form === "gone") return;
      if (typeof form !== "number") return await this.#answer(form, client, request, response);
      // Before the answer, which waits for what is still being sent.
      hold.giveBack();
      await this.#refuse(request, response, unread[form]);
    } finally {
      hold.giveBack();
    }
  }

  async #answer(
    form: Record<string, unknown>,
    client: Client,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const taken = form[honeypot] ? { id: null } : await this.#take(form, client, request);
    if ("status" in taken) return this.#refuse(request, response, taken, form);
    if (senderOf(request) === "script") return writeJson(request, response, 200, taken);
    const headers = { Location: this.#options.thanks(localeOf(form)) };
    return writeBytes(request, response, { status: 303, headers, bytes: Buffer.alloc(0) });
  }

  async #take(
    form: Record<string, unknown>,
    client: Client,
    { headers }: IncomingMessage,
  ): Promise<{ id: string } | Refusal> {
    const checked = checkFeedback(form);
    if ("faults" in checked) {
      const detail = "Some fields can't be taken as they are.";
      return { status: 422, error: "invalid", detail, faults: checked.faults };
    }
    const retryAfter = await this.#rate.take(rateKey(client.address));
    if (retryAfter > 0) {
      const detail = "This address sends too many messages.";
      return { status: 429, error: "rate_limited", detail, retryAfter };
    }
    const { append, release, environment } = this.#options;
    const page = ownPage(headers.referer, headers.host);
    const context = { release, environment, page, now: Date.now() };
    const { id, envelope } = feedbackEnvelope(checked.feedback, context);
    try {
      await append(envelope, "browser");
      return { id };
    } catch (error) {
      // The outbox has logged why.
      if (!(error instanceof OutboxError)) throw error;
      const detail = "The message can't be kept just now.";
      return { status: 503, error: "unavailable", detail, retryAfter: retryAfterSeconds };
    }
  }

  #refuse(
    request: IncomingMessage,
    response: ServerResponse,
    { status, error, detail, faults, retryAfter, problem }: Refusal,
    form: Record<string, unknown> = {},
  ): Promise<void> {
    const headers: Record<string, string> = retryAfter ? { "Retry-After": `${retryAfter}` } : {};
    if (senderOf(request) === "script") {
      const body = { error, detail, ...(faults && { fields: faults }) };
      return writeJson(request, response, status, body, headers);
    }
    const page = this.#options.page({
      locale: localeOf(form),
      values: Object.fromEntries(Object.entries(form).map(([key, value]) => [key, `${value}`])),
      faults,
      problem: faults ? undefined : (problem ?? problemOf(status)),
    });
    return writeBytes(request, response, {
      status,
      headers: {
        "Content-Type": "text/html; charset=utf-8",
        "Content-Security-Policy": pagePolicy,
        ...headers,
      },
      bytes: Buffer.from(page),
    });
  }
}

const unread: Record<400 | 413 | 415 | 429 | 503, Refusal> = {
  400: { status: 400, error: "malformed", detail: "The body can't be read as a form." },
  413: { status: 413, error: "too_large", detail: "The body is too large." },
  415: {
    status: 415,
    error: "unsupported_type",
    detail: "The body must be application/json or application/x-www-form-urlencoded.",
  },
  429: {
    status: 429,
    error: "rate_limited",
    detail: "Too much is being sent from this address at once.",
    retryAfter: retryAfterSeconds,
    problem: "busy",
  },
  503: {
    status: 503,
    error: "unavailable",
    detail: "Too much is being sent at once.",
    retryAfter: retryAfterSeconds,
    problem: "busy",
  },
};

function writeJson(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  body: object,
  headers: Record<string, string> = {},
): Promise<void> {
  return writeBytes(request, response, {
    status,
    headers: { "Content-Type": "application/json; charset=utf-8", ...headers },
    bytes: Buffer.from(JSON.stringify(body)),
  });
}

function localeOf({ locale }: Record<string, unknown>): Locale {
  return typeof locale === "string" && isLocale(locale) ? locale : defaultLocale;
}

/** The page the form stood on, unless the browser names none or one that is not ours. */
function ownPage(referer: string | undefined, host: string | undefined): string | undefined {
  if (!referer || referer.length > 2000 || !URL.canParse(referer)) return undefined;
  return new URL(referer).host === host ? referer : undefined;
}
