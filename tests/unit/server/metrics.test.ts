import { expect, test } from "vitest";
import { Metrics, type MetricsSources } from "@/lib/server/metrics";
import { Refusals } from "@/packages/relay/src/http/refusals";
import { type OutboxStats, Stats } from "@/packages/relay/src/outbox/stats";
import { onEachRequest } from "@/packages/sentry/src/server/request-steps";
import { temporaryFolder } from "@/tests/support/folders";
import { listen } from "@/tests/support/listening";
import { openOutbox } from "@/tests/support/outboxes";
import { errorEnvelope, transactionEnvelope } from "@/tests/support/sdk-envelopes";

function open(sources: Partial<MetricsSources> = {}) {
  const { outbox } = openOutbox();
  const refusals = new Refusals(() => {});
  const config = {
    release: "1.2.3",
    environment: "staging",
    dataDir: temporaryFolder(),
    database: undefined,
  };
  const serviceAnswers = new Map([[403, 2]]);
  const metrics = new Metrics({
    stats: new Stats(outbox, () => {}),
    outbox,
    refusals,
    serviceAnswers,
    config,
    ...sources,
  });
  return { outbox, refusals, metrics };
}

/** The lines of one metric, without those of its buckets. */
async function linesOf(metrics: Metrics, name: string): Promise<string[]> {
  const lines = (await metrics.text()).split("\n");
  return lines.filter((line) => line.startsWith(name) && !line.includes("_bucket"));
}

test("it is OpenMetrics, with what Node tells of the process", async () => {
  const { metrics } = open();
  expect(metrics.contentType).toMatch(/^application\/openmetrics-text/);
  const text = await metrics.text();
  expect(text).toMatch(/# EOF\n$/);
  expect(text).toContain('signpost_build_info{release="1.2.3",environment="staging"');
  for (const name of ["nodejs_eventloop_lag_p99_seconds", "process_resident_memory_bytes"]) {
    expect(text).toMatch(new RegExp(`^${name} [\\d.e+-]+$`, "m"));
  }
  expect(await linesOf(metrics, "signpost_disk_free_bytes")).toHaveLength(1);
});

test("reports that wait, what became of others, and what was dropped or refused", async () => {
  const { metrics, outbox, refusals } = open();
  await outbox.append(errorEnvelope(), "browser");
  await outbox.append(transactionEnvelope(), "browser");
  await outbox.append(errorEnvelope(), "browser");
  const [claimed] = await outbox.claim({ limit: 1, without: 0 });
  if (claimed) await outbox.acknowledge(claimed, { kind: "taken", value: undefined });
  await outbox.countDrops([{ reason: "cache_overflow", category: "session", quantity: 4 }]);
  for (let n = 0; n < 3; n++) refusals.note("envelopes", "rate_limited");
  await metrics.text();
  // Asked twice, it does not count twice.
  const text = await metrics.text();
  for (const line of [
    'signpost_reports_waiting{priority="high"} 1',
    'signpost_reports_waiting{priority="low"} 1',
    'signpost_deliveries_total{outcome="taken"} 1',
    'signpost_deliveries_total{outcome="later"} 0',
    'signpost_reports_dropped_total{reason="cache_overflow",category="session"} 4',
    'signpost_refused_total{kind="envelopes",reason="rate_limited"} 3',
    'signpost_service_answers_total{status="403"} 2',
    "signpost_outbox_writable 1",
  ]) {
    expect(text.split("\n")).toContain(line);
  }
  expect(text).toMatch(/^signpost_last_delivery_timestamp_seconds 1[\d.]+$/m);
  expect(text).toMatch(/^signpost_outbox_bytes [1-9]\d*$/m);
});

test("what can't be read is left out, and is not 0", async () => {
  const stats: OutboxStats = {
    writable: false,
    reason: "The disk is full.",
    waiting: undefined,
    highWaiting: undefined,
    bytes: undefined,
    oldestAge: undefined,
    oldestHighAge: undefined,
    lastDelivery: undefined,
    setAside: 2,
    damagedFiles: 0,
  };
  const acknowledged = { taken: 0, dropped: 0, later: 0, back: 0 };
  const { metrics } = open({
    stats: { read: async () => stats, drops: () => Promise.reject(new Error()) },
    outbox: { acknowledged },
  });
  expect(await linesOf(metrics, "signpost_outbox_writable")).toEqual([
    "signpost_outbox_writable 0",
  ]);
  expect(await linesOf(metrics, "signpost_reports_waiting")).toEqual([]);
  expect(await linesOf(metrics, "signpost_outbox_bytes")).toEqual([]);
  expect(await linesOf(metrics, "signpost_reports_set_aside")).toEqual([
    "signpost_reports_set_aside_total 2",
  ]);
});

test("requests by route pattern and class of status: no address that a stranger makes up is a label", async () => {
  const { metrics } = open();
  onEachRequest(() => [metrics.measureRequest]);
  const { origin } = await listen((request, response) => {
    // A page that each app has.
    if (request.url?.includes("start")) routeTo(request, "/");
    if (request.url?.includes("by-middleware")) routeTo(request, "");
    response.statusCode = request.url?.includes("failing") ? 500 : 200;
    response.end();
  });
  const paths = [
    "/start?1",
    "/start?2",
    "/by-middleware",
    "/failing",
    "/api/relay",
    "/api/relay/settings?build=b",
    "/x/y?z=1",
  ];
  for (const path of paths) await (await fetch(origin + path)).text();
  const counts = () => linesOf(metrics, "signpost_http_request_duration_seconds_count");
  await expect.poll(counts).toHaveLength(5);
  expect((await counts()).sort()).toEqual(
    [
      'signpost_http_request_duration_seconds_count{route="/api/[tunnel]",status="2xx"} 1',
      'signpost_http_request_duration_seconds_count{route="/api/[tunnel]/settings",status="2xx"} 1',
      'signpost_http_request_duration_seconds_count{route="/",status="2xx"} 2',
      'signpost_http_request_duration_seconds_count{route="other",status="2xx"} 2',
      'signpost_http_request_duration_seconds_count{route="other",status="5xx"} 1',
    ].sort(),
  );
});

/** As Next does once it has found the page. */
function routeTo(request: object, pattern: string) {
  const meta = { [Symbol.for("NextInternalRequestMeta")]: { invokeOutput: pattern } };
  Object.assign(request, meta);
}
