import { gzipSync } from "node:zlib";
import { errorEvent, feedbackEvent } from "../support/envelopes";
import { mutatedEnvelopes } from "../support/mutated-envelopes";
import { envelopeOf, eventId } from "../support/sdk-envelopes";
import { seededRandom } from "../support/seeded-random";
import { bulky, nested } from "./attacks";

type Json = Record<string, unknown>;
type Item = [header: Json & { type: string }, payload: Json];

/** From 0 up to n. */
type Below = (n: number) => number;

const trace = { trace_id: "a".repeat(32), span_id: "b".repeat(16) };
const span = {
  ...trace,
  name: "/",
  start_timestamp: 1_800_000_000,
  end_timestamp: 1_800_000_001,
  is_segment: true,
  attributes: {
    "sentry.op": { value: "pageload", type: "string" },
    "sentry.segment.name": { value: "/server", type: "string" },
    "browser.web_vital.lcp.value": { value: 1200.5, type: "double" },
  },
};

/** One of each kind that reaches the tunnel, and that the inbox or the dispatcher reads. */
const seeds: (() => Item)[] = [
  () => [{ type: "event" }, builtError()],
  () => [{ type: "event" }, { ...builtError(), fingerprint: ["{{ default }}", "part"] }],
  () => [{ type: "feedback" }, feedbackEvent("a message", eventId())],
  () => [{ type: "user_report" }, { event_id: eventId(), name: "Ada", comments: "a message" }],
  () => [{ type: "span", item_count: 1 }, { items: [span, { ...span, is_segment: false }] }],
  () => [{ type: "session" }, { sid: eventId(), status: "ok", errors: 0, attrs: { release: "1" } }],
  () => [
    { type: "client_report" },
    { discarded_events: [{ reason: "a", category: "error", quantity: 1 }] },
  ],
  () => [
    { type: "transaction" },
    {
      event_id: eventId(),
      transaction: "GET /server",
      start_timestamp: 1_800_000_000,
      timestamp: 1_800_000_001,
      contexts: { trace: { ...trace, op: "pageload", status: "ok", data: { a: 1 } } },
      measurements: { lcp: { value: 1200.5, unit: "millisecond" }, cls: { value: 0.1 } },
      spans: [{ ...span, op: "ui.interaction", data: { "sentry.op": "http.client" } }],
    },
  ],
];

function builtError(): Json {
  const frame = {
    filename: "http://localhost/_next/static/chunks/0.js",
    abs_path: "http://localhost/_next/static/chunks/0.js",
    function: "onClick",
    in_app: true,
    lineno: 1,
    colno: 12,
    context_line: "code",
    pre_context: ["code"],
  };
  const values = [{ type: "TypeError", value: "nothing", mechanism: { type: "onerror" } }];
  return errorEvent({
    event_id: eventId(),
    platform: "javascript",
    exception: {
      values: values.map((one) => ({ ...one, stacktrace: { frames: [frame, frame] } })),
    },
    breadcrumbs: [{ timestamp: 1_800_000_000, category: "fetch", data: { url: "/", status: 200 } }],
    contexts: { trace, browser: { name: "Chrome", version: "1" } },
    tags: { side: "browser" },
    user: { id: "1" },
    request: { url: "https://example.org/server?a=1", headers: { "User-Agent": "x" } },
    extra: { a: [1, 2] },
    level: "error",
  });
}

/** JSON that numbers, texts and shapes end at: what a reader takes for granted is not so here. */
const literals: string[] = [
  ...[31n, 32n, 53n, 63n, 64n].flatMap((bits) =>
    [-1n, 0n, 1n].flatMap((by) => [`${2n ** bits + by}`, `-${2n ** bits + by}`]),
  ),
  ...["1e308", "1e309", "-1e309", "5e-324", "-0", "0.1", "1e21", "8640000000000.1", "9e15"],
  ...["null", "true", '""', "{}", "[]", "[null]", '{"length":1e9}', '{"toString":1,"valueOf":1}'],
  ...['"\\ud800"', '"\\udc00x"', '"x\\ud83d"', '"\\u0000"', '"\\u2028\\u202e"', '"\\u001b[2J"'],
  ...['"ā"', `"${"ā".repeat(600)}"`, `"${"ā".repeat(199)}\\ud83d\\ude00"`, '"<script>1</script>"'],
  ...['"%"', '"%ff%00"', '"javascript:1"', '"../../../etc/passwd"', '"http://["', '"__proto__"'],
  ...['"1e400"', '"Infinity"', '"0x10"', '"2026-13-45T99:99:99Z"', '"+275760-09-13T00:00:00.001Z"'],
  ...['{"__proto__":{"polluted":1}}', '{"constructor":{"prototype":{"polluted":1}}}'],
  ...[33, 500, 2_500, 6_000, 20_000].flatMap((depth) => [
    nested(depth),
    `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`,
  ]),
];

/** These fill the largest envelope, so there are few of them. */
const giants: (() => string)[] = [
  () => nested(1_000_000),
  () => `${'{"a":'.repeat(300_000)}1${"}".repeat(300_000)}`,
  () => bulky(1_900_000),
  () => `"${"x".repeat(1_900_000)}"`,
  () => `"${"ā".repeat(900_000)}"`,
  () => `{${Array.from({ length: 150_000 }, (_, n) => `"k${n}":0`).join()}}`,
  () => `"${"\\ud800".repeat(300_000)}"`,
];
/** One mutant of so many is a giant. */
const giantsPer = 80;

export interface Mutant {
  bytes: Buffer;
  /** Compressed by gzip. */
  gzipped: boolean;
}

/** So many mutated envelopes: half with wrong bytes, half with wrong values in the right place. */
export function* mutants(count: number, seed: number): Generator<Mutant> {
  const below = belowOf(seed);
  const whole = seeds.map((one) => {
    const [header, payload] = one();
    return envelopeOf({ event_id: eventId() }, [header, JSON.stringify(payload)]);
  });
  const byBytes = mutatedEnvelopes(count, seed, whole);
  for (let n = 0; n < count; n++) {
    if (n % 2 === 0) yield { bytes: byBytes.next().value ?? Buffer.alloc(0), gzipped: false };
    else if (n % giantsPer === 1)
      yield { bytes: gzipSync(mutatedValues(below, true), { level: 1 }), gzipped: true };
    else yield { bytes: mutatedValues(below, false), gzipped: false };
  }
}

/** The generator of a whole run: see `seededRandom`. */
function belowOf(seed: number): Below {
  const random = seededRandom(seed);
  return (n) => Math.floor(random() * n);
}

function pick<T>(from: readonly T[], below: Below): T {
  return from[below(from.length)] as T;
}

/** An envelope with one to three values in its headers and its payloads replaced. */
function mutatedValues(below: Below, giant: boolean): Buffer {
  const header: Json = {
    event_id: eventId(),
    sent_at: "2026-01-01T00:00:00Z",
    trace: { ...trace },
  };
  const items = Array.from({ length: 1 + below(3) }, () => structuredClone(pick(seeds, below)()));
  const replaced: string[] = [];
  for (let times = 1 + below(3); times > 0; times--) {
    const [itemHeader, payload] = pick(items, below);
    // Few values in headers are believed, and most of what is wrong there is refused.
    const part = below(8) > 0 ? payload : pick([itemHeader, header], below);
    const place = pick(placesIn(part), below);
    place.put(`@${replaced.length}@`);
    replaced.push(giant && replaced.length === 0 ? pick(giants, below)() : pick(literals, below));
  }
  const written = (value: unknown) =>
    JSON.stringify(value).replace(/"@(\d)@"/g, (_, index) => replaced[Number(index)] ?? "0");
  const lines = [header, ...items.flat()].map(written);
  return Buffer.from(`${lines.join("\n")}\n`);
}

/** Everything in a value that something else can be put in place of. */
function placesIn(value: unknown): { put(other: string): void }[] {
  if (typeof value !== "object" || value === null) return [];
  const parts = value as Json;
  return Object.keys(parts).flatMap((key) => {
    const put = (other: string) => {
      parts[key] = other;
    };
    return [{ put }, ...placesIn(parts[key])];
  });
}

const formTexts = [
  "message",
  "name",
  "email",
  "reference",
  "homepage",
  "locale",
  "state",
  "group",
  "seen",
  "__proto__",
];
const formTypes = [
  "application/json",
  "application/x-www-form-urlencoded",
  "application/x-www-form-urlencoded; charset=utf-16",
  "multipart/form-data; boundary=x",
  "text/plain",
];

export interface FormMutant {
  type: string;
  body: string;
}

/** So many forms, as a script or as a browser sends them, with hostile values. */
export function* mutatedForms(count: number, seed: number): Generator<FormMutant> {
  const below = belowOf(seed);
  for (let n = 0; n < count; n++) {
    const type = pick(formTypes, below);
    const fields = Array.from({ length: below(6) }, () => {
      const literal = n % giantsPer === 1 ? pick(giants, below)() : pick(literals, below);
      return [pick(formTexts, below), literal] as const;
    });
    const json = `{${fields.map(([name, literal]) => `"${name}":${literal}`).join()}}`;
    const encoded = fields.map(
      ([name, literal]) => `${name}=${pick([literal, encodeURIComponent(literal)], below)}`,
    );
    yield { type, body: type === "application/json" ? json : encoded.join("&") };
  }
}

const headerNames = [
  ...["Host", "Cookie", "Referer", "Origin", "Accept-Language", "Accept-Encoding", "User-Agent"],
  ...["Content-Length", "Content-Encoding", "Content-Type", "Transfer-Encoding", "Expect", "Range"],
  ...[
    "X-Forwarded-For",
    "X-Forwarded-Host",
    "X-Forwarded-Proto",
    "Sec-Fetch-Site",
    "If-None-Match",
  ],
  ...[
    "sentry-trace",
    "baggage",
    "x-nextjs-data",
    "x-middleware-prefetch",
    "RSC",
    "X-Now-Route-Matches",
  ],
  ...["If-Modified-Since", "Next-Router-State-Tree", "x-matched-path", "x-invoke-path", "purpose"],
];
const headerValues = [
  ...["", "0", "-1", "1", "99999999999999999999", "9007199254740993", "NaN", "gzip", "br, gzip"],
  ...[
    "chunked",
    "100-continue",
    "null",
    "http://",
    "http://[",
    "https://evil.example",
    "same-origin",
  ],
  ...["\u0000", "\u0080\u00ff", "%", "%ff%00", ";;;=", "a=".repeat(4000), ",".repeat(8000)],
  ...["::", "::ffff:1.2.3.4", "1.2.3.4:99999", "unknown", "1.2.3.4, ".repeat(500), "[::1]:1"],
  ...["00-00-00-00", "0".repeat(32), `${"f".repeat(32)}-${"f".repeat(16)}-1`, "sentry-trace_id=%"],
  ...["bytes=0-", "bytes=9007199254740993-", "Thu, 01 Jan 1970 00:00:00 GMT", "text/html;q=1e309"],
  ...[
    "../../..",
    "/\\evil.example",
    "signpost-inbox=",
    "signpost-inbox=%ff",
    '["",{}]',
    "x".repeat(20_000),
  ],
];
const paths = [
  ...["/", "/static", "/server?a=1", "/dynamic/a-1", "/incremental/made-up", "/missing", "/moved"],
  ...[
    "/reports",
    "/reports?token=x",
    "/reports/0123456789abcdef",
    "/feedback",
    "/api/relay/settings",
  ],
  ...["/api/health/ready", "/api/echo/a", "/api/nothing", "/api/deliver", "/_next/data/x/en.json"],
  ...["/_next/image?url=/x&w=64&q=75", "/_next/static/chunks/x.js", "/de", "/ar/static", "/%ff"],
  ...[
    "/%00",
    "//evil.example",
    "/..%2f..%2fetc",
    "*",
    "http://evil.example/",
    "?",
    "/dynamic/%E0%A4%A",
  ],
];
const methods = [
  "GET",
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "DELETE",
  "OPTIONS",
  "PATCH",
  "TRACE",
  "get",
  "BREW",
];

/** So many requests, as they go over the wire, with hostile paths and headers. */
export function* mutatedRequests(count: number, seed: number): Generator<Buffer> {
  const below = belowOf(seed);
  for (let n = 0; n < count; n++) {
    const lines = [
      `${pick(methods, below)} ${pick(paths, below)} HTTP/1.${pick([1, 1, 1, 0], below)}`,
    ];
    if (below(4) > 0) lines.push("Host: localhost");
    for (let times = below(6); times > 0; times--) {
      lines.push(`${pick(headerNames, below)}: ${pick(headerValues, below)}`);
    }
    yield Buffer.from(`${lines.join("\r\n")}\r\nConnection: close\r\n\r\n`, "latin1");
  }
}
