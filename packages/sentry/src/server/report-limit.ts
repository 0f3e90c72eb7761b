import type { Category } from "@signpost/relay/categories";
import type { Failure } from "./reporting-state.ts";
import { type Rate, TokenBucket } from "./token-bucket.ts";

/** Anybody can make a page fail again and again: this many reports about it are made. */
const alike: Rate = { burst: 100, perMinute: 10 };
const together: Rate = { burst: 500, perMinute: 100 };

/** Limits of what is no error. A request may write several logs, and they are small. */
const others = {
  feedback: together,
  log_item: { burst: 10_000, perMinute: 6_000 },
  metric: { burst: 10_000, perMinute: 6_000 },
} satisfies Partial<Record<Category, Rate>>;

type OtherCategory = keyof typeof others;

/** Kinds of reports that are counted separately. Beyond it, the one used least recently is evicted. */
const maxKinds = 1_000;
const maxKeyLength = 500;

interface Kind {
  bucket: TokenBucket;
  /** The event id of the latest report that was allowed. */
  latest?: string;
}

/** Limits the reports that the server makes about itself: of each kind, and all together. */
export class ReportLimit {
  readonly #kinds = new Map<string, Kind>();
  readonly #all: TokenBucket;

  /** @param now milliseconds of any clock that only goes forward */
  constructor(private readonly now?: () => number) {
    this.#all = new TokenBucket(together, now);
  }

  /**
   * Asks for one more report.
   *
   * @param key of its kind, see `reportKey`
   * @param eventId of the report, 32 hex digits
   * @returns as `latest` the id of the kind's latest report: `eventId`, if it is allowed
   */
  take(key: string, eventId: string): { allowed: boolean; latest: string | undefined } {
    const kind = this.#kindOf(key);
    const allowed = this.#all.has() && kind.bucket.take();
    if (allowed) {
      this.#all.take();
      kind.latest = eventId;
    }
    return { allowed, latest: kind.latest };
  }

  #kindOf(key: string): Kind {
    const kind = this.#kinds.get(key) ?? { bucket: new TokenBucket(alike, this.now) };
    // In the order of their last use.
    this.#kinds.delete(key);
    this.#kinds.set(key, kind);
    if (this.#kinds.size > maxKinds) {
      const [oldest = key] = this.#kinds.keys();
      this.#kinds.delete(oldest);
    }
    return kind;
  }
}

/**
 * Limits one kind of what the server sends beside errors, whoever captured it. For `beforeSendLog`,
 * `beforeSendMetric` and event processors.
 *
 * @param onTooMany called for each that was one too many
 * @param hook the team's own, which is asked first: what it drops is not counted
 */
export function limitOthers<Item>(
  category: OtherCategory,
  onTooMany: (category: OtherCategory) => void,
  hook: (item: Item) => Item | null = (item) => item,
): (item: Item) => Item | null {
  const bucket = new TokenBucket(others[category]);
  return (item) => {
    const kept = hook(item);
    if (!kept || bucket.take()) return kept;
    onTooMany(category);
    return null;
  };
}

/**
 * The kind of an error, for `ReportLimit`: the part of the code that noticed it, the route, the
 * error's name, and where it was thrown; without a stack, its message without digits.
 */
export function reportKey(
  error: unknown,
  { mechanism, route }: Pick<Failure, "mechanism" | "route">,
): string {
  const isError = error instanceof Error;
  const name = isError ? error.name : typeof error;
  const place = (isError && firstFrame(error)) || withoutDigits(isError ? error.message : error);
  return [mechanism, route, name, place].join(" ").slice(0, maxKeyLength);
}

function firstFrame({ stack, message }: Error): string | undefined {
  // After the message, which may hold what looks like a frame.
  const text = typeof stack === "string" ? stack : "";
  const start = text.indexOf(message) < 0 ? 0 : text.indexOf(message) + message.length;
  const frame = text.indexOf("\n    at ", start);
  if (frame < 0) return undefined;
  const end = text.indexOf("\n", frame + 1);
  return text.slice(frame + 1, end < 0 ? undefined : end).trim();
}

function withoutDigits(thrown: unknown): string {
  const text = typeof thrown === "object" ? "" : String(thrown);
  return text.slice(0, maxKeyLength).replace(/\d/g, "0");
}
