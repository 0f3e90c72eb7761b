/** By names in lower case. Values of one name are one list. */
export type AnswerHeaders = Record<string, string | undefined>;

/** What came back for an envelope, from the service or from whatever stands before it. */
export interface ServiceAnswer {
  status: number;
  headers: AnswerHeaders;
  /** The beginning of the body, at most `maxAnswerBytes`. */
  text: string;
  /** Whether the body has come to its end. */
  complete: boolean;
}

/** How much of an answer is read: an error of Sentry's Relay has some 100 bytes. */
export const maxAnswerBytes = 2048;
const maxWords = 200;

/**
 * What an answer says of a report, and what becomes of the report by that.
 *
 * - `taken`: the service has it
 * - `limited`: it comes too early, and waits
 * - `dropped`: it can't be taken, now or later: a fault of the report, which is removed
 * - `refused`: the service takes nothing by this DSN: a fault of the configuration, which can be mended. All wait
 * - `failed`: the service can't be reached, or has a fault. It is tried again, and the others may wait
 */
export type Verdict = "taken" | "limited" | "dropped" | "refused" | "failed";

export function verdictOf(answer: ServiceAnswer): Verdict {
  const { status } = answer;
  if (status === 429) return "limited";
  // Whoever says so: the report gets no smaller by waiting.
  if (status === 413) return "dropped";
  if (status >= 300 && status < 400) return "refused";
  if (!isOfService(answer)) return "failed";
  if (status < 300) return "taken";
  if ([401, 403, 404].includes(status)) return "refused";
  // Of a proxy on the way out, and what asks for another try by its name.
  if ([407, 408, 421, 425].includes(status) || status >= 500) return "failed";
  return "dropped";
}

/**
 * Whether the service itself has answered, and not a proxy, a firewall or a holding page in its place:
 * Traefik says 404 while a container restarts. Sentry's Relay and GlitchTip answer with JSON, and so does
 * Bugsink, which takes an envelope without an event in silence, as Spotlight takes all: without a body.
 */
export function isOfService({ status, headers, text, complete }: ServiceAnswer): boolean {
  if (/\bjson\b/i.test(headers["content-type"] ?? "") || /^\s*\{/.test(text)) return true;
  return status >= 200 && status < 300 && complete && text.trim() === "";
}

/** What the service, or a page in its place, gives as the reason: for a log, one line. */
export function wordsOf({ headers, text }: ServiceAnswer): string {
  const { location, "x-sentry-error": named } = headers;
  if (location !== undefined) return `It redirects to ${withoutSecrets(location)}.`;
  const page = text.replace(/<(?:style|script)\b[^<]*/gi, " ").replace(/<[^<>]*>/g, " ");
  return oneLine(named ?? detailOf(text) ?? page);
}

/** What Sentry's Relay, GlitchTip and Bugsink say in the body of an error. */
function detailOf(text: string): string | undefined {
  try {
    const { detail, message, error } = JSON.parse(text) as Record<string, unknown>;
    return [detail, message, error].find((said) => typeof said === "string");
  } catch {
    return undefined;
  }
}

function oneLine(text: string): string {
  return text
    .replace(/[\s\p{C}]+/gu, " ")
    .trim()
    .slice(0, maxWords);
}

/** Anybody may read it. A password, the id of a session or a query can be in it. */
function withoutSecrets(location: string): string {
  const [place = ""] = location.split(/[;?#]/, 1);
  return oneLine(place.replace(/\/\/[^/@]*@/, "//"));
}
