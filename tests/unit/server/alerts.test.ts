import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Metrics } from "@/lib/server/metrics";
import { errorResponses } from "@/packages/relay/src/http/answers";
import { Refusals } from "@/packages/relay/src/http/refusals";
import { Stats } from "@/packages/relay/src/outbox/stats";
import { onEachRequest } from "@/packages/sentry/src/server/request-steps";
import { temporaryFolder } from "@/tests/support/folders";
import { listen } from "@/tests/support/listening";
import { openOutbox } from "@/tests/support/outboxes";
import { errorEnvelope } from "@/tests/support/sdk-envelopes";

/** A series and its value in one scrape. */
interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

function open(setting: Parameters<typeof openOutbox>[0] = {}) {
  const { outbox, clock } = openOutbox(setting);
  const refusals = new Refusals(() => {});
  const [dataDir, database] = [temporaryFolder(), undefined];
  const config = { release: "1.2.3", environment: "staging", dataDir, database };
  const stats = new Stats(outbox, () => {});
  const metrics = new Metrics({ stats, outbox, refusals, serviceAnswers: new Map(), config });
  return { outbox, clock, refusals, metrics, scrape: async () => samplesOf(await metrics.text()) };
}

function samplesOf(text: string): Sample[] {
  return [...text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)/gm)].map(
    ([, name = "", all = "", value]) => ({
      name,
      labels: Object.fromEntries([...all.matchAll(/(\w+)="([^"]*)"/g)].map(([, a, b]) => [a, b])),
      value: Number(value),
    }),
  );
}

type Wanted = Record<string, string | RegExp>;

function valuesOf(samples: Sample[], name: string, wanted: Wanted = {}): number[] {
  const fits = ({ labels }: Sample) =>
    Object.entries(wanted).every(([label, one]) =>
      one instanceof RegExp ? one.test(labels[label] ?? "") : labels[label] === one,
    );
  return samples.filter((one) => one.name === name && fits(one)).map(({ value }) => value);
}

const sum = (values: number[]) => values.reduce((total, one) => total + one, 0);

/** As Prometheus has it, of a counter that was not reset. */
function rate(before: Sample[], after: Sample[], seconds: number, name: string, wanted?: Wanted) {
  return (sum(valuesOf(after, name, wanted)) - sum(valuesOf(before, name, wanted))) / seconds;
}

const requests = "signpost_http_request_duration_seconds_count";
const codes = { reason: /^(?:rate_limited|too_many_connections|too_many_in_flight|unavailable)$/ };

/** What each rule says, computed of two scrapes that lie as far apart as it looks back. */
const meanings: Record<string, (before: Sample[], after: Sample[]) => boolean> = {
  // Prometheus itself says so of a scrape that has failed.
  'up{job="signpost"} == 0': (_, after) => after.length === 0,
  "signpost_outbox_writable == 0": (_, after) =>
    valuesOf(after, "signpost_outbox_writable").some((value) => value === 0),
  'max by (job) (signpost_oldest_report_age_seconds{priority="high"}) > 900': (_, after) =>
    Math.max(...valuesOf(after, "signpost_oldest_report_age_seconds", { priority: "high" })) > 900,
  'max by (job, reason) (increase(signpost_reports_dropped_total{category="error",reason!="backpressure"}[15m])) > 0':
    (before, after) => {
      const name = "signpost_reports_dropped_total";
      const ofErrors = (samples: Sample[]) =>
        samples.filter(
          ({ labels }) => labels.category === "error" && labels.reason !== "backpressure",
        );
      return ofErrors(after.filter((one) => one.name === name)).some(({ labels, value }) => {
        const [first = value] = valuesOf(before, name, labels);
        return value > first;
      });
    },
  'sum by (job, kind, reason) (rate(signpost_refused_total{reason=~"rate_limited|too_many_connections|too_many_in_flight|unavailable"}[10m])) > 0.1':
    (before, after) =>
      ["envelopes", "feedback", "requests"].some(
        (kind) => rate(before, after, 600, "signpost_refused_total", { kind, ...codes }) > 0.1,
      ),
  'sum by (job) (rate(signpost_http_request_duration_seconds_count{status="5xx"}[5m])) > 0.01 * sum by (job) (rate(signpost_http_request_duration_seconds_count[5m]))':
    (before, after) =>
      rate(before, after, 300, requests, { status: "5xx" }) >
      0.01 * rate(before, after, 300, requests),
};

const rules = Object.fromEntries(
  [...readFileSync("deploy/alerts.yml", "utf8").matchAll(/^ +- alert: (\w+)\n +expr: (.+)$/gm)].map(
    ([, name = "", expr = ""]) => [name, expr],
  ),
);

function isTrue(rule: string, before: Sample[], after: Sample[]): boolean {
  const meaning = meanings[rules[rule] ?? ""];
  if (!meaning) throw new Error(`deploy/alerts.yml has another ${rule} than this test knows`);
  return meaning(before, after);
}

test("each metric that a rule names is one, with the labels and the codes that it asks for", async () => {
  expect(Object.keys(rules)).toHaveLength(Object.keys(meanings).length);
  const { outbox, refusals, metrics, scrape } = open();
  await outbox.append(errorEnvelope(), "browser");
  refusals.note("envelopes", errorResponses.unavailable("").error);
  onEachRequest(() => [metrics.measureRequest]);
  const { origin } = await listen((_, response) => response.end());
  await (await fetch(origin)).text();
  await expect.poll(async () => valuesOf(await scrape(), requests)).not.toEqual([]);
  const names = new Set((await scrape()).map(({ name }) => name));
  for (const expr of Object.values(rules)) {
    for (const [name] of expr.matchAll(/signpost_\w+/g)) expect([...names]).toContain(name);
  }
});

test("ServerIsDown: of the job that docs/deployment.md tells Prometheus to scrape", async () => {
  const [, job] = /job_name: (\S+)/.exec(readFileSync("docs/deployment.md", "utf8")) ?? [];
  expect(rules.ServerIsDown).toContain(`job="${job}"`);
  expect(isTrue("ServerIsDown", [], [])).toBe(true);
  expect(isTrue("ServerIsDown", [], await open().scrape())).toBe(false);
});

/** Where no folder can be. */
function fileIn(folder: string): string {
  const file = join(folder, "file");
  writeFileSync(file, "");
  return file;
}

test("ReportsAreNotStored: where the outbox can't be written", async () => {
  const well = await open().scrape();
  const { outbox, scrape } = open({ file: join(fileIn(temporaryFolder()), "outbox.db") });
  await expect(outbox.append(errorEnvelope(), "browser")).rejects.toThrow();
  expect(isTrue("ReportsAreNotStored", [], well)).toBe(false);
  expect(isTrue("ReportsAreNotStored", [], await scrape())).toBe(true);
});

test("ErrorsAreNotDelivered: once an error has waited for a quarter of an hour", async () => {
  const { outbox, clock, scrape } = open();
  await outbox.append(errorEnvelope(), "browser");
  clock.now += 899_000;
  expect(isTrue("ErrorsAreNotDelivered", [], await scrape())).toBe(false);
  clock.now += 2000;
  expect(isTrue("ErrorsAreNotDelivered", [], await scrape())).toBe(true);
});

test("ErrorsAreDropped: with the first one, and not for what the server itself held back", async () => {
  const { outbox, scrape } = open();
  await outbox.append(errorEnvelope(), "browser");
  const before = await scrape();
  await outbox.countDrops([{ reason: "backpressure", category: "error", quantity: 7 }]);
  expect(isTrue("ErrorsAreDropped", before, await scrape())).toBe(false);
  const [report] = await outbox.claim({ limit: 1, without: 0 });
  if (!report) throw new Error("Expected a report, got none");
  await outbox.acknowledge(report, { kind: "dropped", reason: "send_error" });
  expect(isTrue("ErrorsAreDropped", before, await scrape())).toBe(true);
});

test("VisitorsAreRefused: more than six a minute, and not for faults of their own", async () => {
  const { refusals, scrape } = open();
  const before = await scrape();
  for (let n = 0; n < 100; n++) refusals.note("envelopes", errorResponses.malformed("").error);
  for (let n = 0; n < 60; n++) refusals.note("envelopes", "rate_limited");
  expect(isTrue("VisitorsAreRefused", before, await scrape())).toBe(false);
  refusals.note("envelopes", "rate_limited");
  expect(isTrue("VisitorsAreRefused", before, await scrape())).toBe(true);
});

test("ManyRequestsFail: more than one of a hundred", async () => {
  const { metrics, scrape } = open();
  onEachRequest(() => [metrics.measureRequest]);
  const { origin } = await listen((request, response) => {
    response.statusCode = request.url === "/failing" ? 500 : 200;
    response.end();
  });
  const ask = async (path: string, times: number) => {
    for (let n = 0; n < times; n++) await (await fetch(origin + path)).text();
  };
  const counted = async () => sum(valuesOf(await scrape(), requests));
  const before = await scrape();
  await ask("/", 149);
  await ask("/failing", 1);
  await expect.poll(counted).toBe(150);
  expect(isTrue("ManyRequestsFail", before, await scrape())).toBe(false);
  await ask("/failing", 1);
  await expect.poll(counted).toBe(151);
  expect(isTrue("ManyRequestsFail", before, await scrape())).toBe(true);
});
