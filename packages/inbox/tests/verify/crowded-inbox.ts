import { filedBounds } from "@/packages/inbox/src/pruning";
import type { Outbox } from "@/packages/relay/src/outbox/outbox";
import { envelope } from "@/tests/support/envelopes";

const id = (n: number) => n.toString(16).padStart(32, "0");
/** Different for each number, and two bytes a character wherever it is kept. */
const long = (n: number, length: number) => `${n}ж`.padEnd(length, "ж");

/** Ten errors in groups of their own with texts of maximum length, and now and then fifty calls. */
function errors(n: number): [string, Record<string, unknown>][] {
  return Array.from({ length: 10 }, (_, i) => [
    "event",
    {
      event_id: id(n * 10 + i),
      fingerprint: ["{{ default }}", ...(i === 0 ? [long(n, 200), long(n + 1, 200)] : [])],
      ...(i === 0 && {
        transaction: long(n, 200),
        release: long(n, 200),
        environment: long(n, 200),
        contexts: { trace: { trace_id: id(n % 2) } },
      }),
      exception: {
        values: [
          {
            type: long(n, 200),
            value: long(n, 500),
            stacktrace: { frames: i === 0 && n % 4 === 0 ? calls(n) : [] },
          },
        ],
      },
    },
  ]);
}

function calls(n: number) {
  return Array.from({ length: 50 }, (_, i) => ({
    function: long(i, 12),
    filename: `https://a.example/_next/static/chunks/${n}-${i}.js`,
    lineno: 1 + i,
    colno: n,
    in_app: true,
  }));
}

function message(n: number): [string, Record<string, unknown>] {
  const texts = { message: long(n, 501), name: long(n, 200), contact_email: long(n, 200) };
  const contexts = { feedback: { ...texts, url: `/${long(n, 199)}` } };
  return ["feedback", { event_id: id(n), contexts }];
}

/** Fifty measurements and ten visits, all of one trace. */
function measurements(n: number): [string, Record<string, unknown>] {
  const items = Array.from({ length: 10 }, (_, i) => ({
    name: long(n * 10 + i, 40),
    trace_id: id(1),
    is_segment: true,
    start_timestamp: 1_800_000_000,
    end_timestamp: 1_800_000_001 + i,
    attributes: Object.fromEntries([
      ["sentry.op", { value: "pageload" }],
      ...["lcp", "inp", "cls", "fcp", "ttfb"].map((vital) => [
        `browser.web_vital.${vital}.value`,
        { value: n % 900 },
      ]),
    ]),
  }));
  return ["span", { items }];
}

/** A report of everything that is kept, as large as the bounds allow 10,000 to be. */
export function fullReport(n: number): Uint8Array {
  return envelope([...errors(n), message(n), measurements(n)]);
}

/** As many values as an event may have, each with a name of its own, and far too many in another item. */
function manyValues(n: number): Uint8Array {
  const keys = Array.from({ length: 49_000 }, (_, i) => `"${(i * n).toString(36)}":0`).join(",");
  const start = `{"event_id":"${id(n)}","extra":{`;
  const bytes = `{}\n{"type":"event"}\n${start}${keys}}}\n{"type":"transaction"}\n{"spans":[`;
  return Buffer.from(`${bytes}${"{},".repeat(250_000)}{}]}\n`);
}

/** A container of as many values as it may have, beside an error, so that it makes no room for others. */
function manySpans(n: number): Uint8Array {
  const spans = Array.from({ length: 13_000 }, (_, i) => ({
    trace_id: id(1),
    span_id: i.toString(16).padStart(16, "0"),
    start_timestamp: 1,
    end_timestamp: 2 + n,
    name: long(i, 12),
  }));
  return envelope([
    ["event", { event_id: id(n + 500_000) }],
    ["span", { items: spans }],
  ]);
}

/**
 * Fills an inbox to its bounds with reports of the worst shapes.
 *
 * @param file what `filerOf` gives
 */
export async function crowd(outbox: Outbox, file: () => Promise<void>): Promise<void> {
  const { count } = filedBounds.kept_reports;
  const add = (bytes: Uint8Array) => outbox.append(bytes, "browser");
  for (let n = 1; n <= count; n += 50) {
    await Promise.all(Array.from({ length: 50 }, (_, i) => add(fullReport(n + i))));
    // The last ones, as the oldest are removed.
    if (n > count - 200) await Promise.all([add(manyValues(n)), add(manySpans(n))]);
    await file();
  }
}
