import { statfs } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Relay } from "@signpost/relay";
import type { RequestStep } from "@signpost/sentry/server";
import {
  type RuntimeConfig,
  relay,
  routeOfRequest,
  runtimeConfig,
  whenAnswered,
} from "@signpost/sentry/server";
import {
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type OpenMetricsContentType,
  Registry,
} from "prom-client";
import { basePath, tunnelPath } from "@/lib/navigation/location";

/** What the metrics are read from. */
export interface MetricsSources {
  stats: Pick<Relay["stats"], "read" | "drops">;
  outbox: Pick<Relay["outbox"], "acknowledged">;
  refusals: Pick<Relay["refusals"], "counts">;
  serviceAnswers: ReadonlyMap<number | "none", number>;
  config: Pick<RuntimeConfig, "release" | "environment" | "dataDir" | "database">;
}

const seconds = 1 / 1000;
/** Told from the start, as Prometheus takes the first number of a series for no increase. */
const errorDrops = ["send_error", "network_error", "cache_overflow", "internal_sdk_error"];
/** The buckets of a request's duration, in seconds: `/slow` takes up to 5 s. */
const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * What a process tells of itself, as OpenMetrics. Labels hold patterns, codes and categories only, so that
 * no visitor can make up a series.
 * Source: https://prometheus.io/docs/specs/om/open_metrics_spec/
 */
export class Metrics {
  readonly #registry = new Registry<OpenMetricsContentType>();
  readonly #requests: Histogram<"route" | "status">;
  /** Each reads what it tells when it is asked. */
  readonly #readings: (() => void | Promise<void>)[] = [];

  constructor(sources: MetricsSources) {
    this.#registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
    const { registers } = this;
    // Event loop, memory, garbage collection, processor time, file descriptors.
    collectDefaultMetrics({ register: this.#registry });
    this.#requests = new Histogram({
      name: "signpost_http_request_duration_seconds",
      help: "Requests, from the head to the end of the answer, by route pattern and class of status",
      labelNames: ["route", "status"],
      buckets,
      registers,
    });
    this.#tellOfIntake(sources);
    this.#tellOfOutbox(sources);
    this.#tellOfService(sources);
    this.#tellOfDisk(sources.config);
    const { release, environment } = sources.config;
    this.#gauge("build_info", "The release that runs", ["release", "environment", "node"]).set(
      { release, environment, node: process.versions.node },
      1,
    );
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  get registers(): Registry<OpenMetricsContentType>[] {
    return [this.#registry];
  }

  /** @returns OpenMetrics text. What can't be read now is left out */
  async text(): Promise<string> {
    for (const read of this.#readings) await read();
    return this.#registry.metrics();
  }

  /** Counts a request once it is answered, or its client has left. */
  readonly measureRequest: RequestStep = (request, response, next) => {
    const begun = performance.now();
    // Before Next changes the address.
    const early = routeBeforeNext(request);
    whenAnswered(request, response, () => {
      // Nothing for what is none of the app's, such as strangers' paths.
      const route = early ?? routeOfRequest(request) ?? "other";
      const labels = { route, status: statusLabel(response) };
      this.#requests.observe(labels, (performance.now() - begun) * seconds);
    });
    next();
  };

  #tellOfIntake({ refusals }: MetricsSources): void {
    const refused = this.#counter("refused", "What was refused, by the code of the answer", [
      "kind",
      "reason",
    ]);
    this.#readings.push(() => {
      refused.reset();
      for (const [kind, reasons] of refusals.counts) {
        for (const [reason, quantity] of reasons) refused.inc({ kind, reason }, quantity);
      }
    });
  }

  #tellOfOutbox({ stats: source, outbox }: MetricsSources): void {
    const writable = this.#gauge("outbox_writable", "1 while reports can be stored, else 0");
    const bytes = this.#gauge("outbox_bytes", "What the reports that wait take");
    const priority = ["priority"];
    const waiting = this.#gauge("reports_waiting", "Reports that wait for delivery", priority);
    const age = this.#gauge("oldest_report_age_seconds", "0 where none waits", priority);
    const last = this.#gauge(
      "last_delivery_timestamp_seconds",
      "When a report of this process was taken last",
    );
    const setAside = this.#counter("reports_set_aside", "Reports that could not be stored or read");
    const deliveries = this.#counter(
      "deliveries",
      "What became of reports that this process has claimed",
      ["outcome"],
    );
    const dropped = this.#counter("reports_dropped", "By all processes that share the outbox", [
      "reason",
      "category",
    ]);
    this.#readings.push(async () => {
      const stats = await source.read();
      writable.set(stats.writable ? 1 : 0);
      for (const gauge of [waiting, age]) gauge.reset();
      // Without labels, reset means 0.
      for (const gauge of [bytes, last]) gauge.remove();
      if (stats.bytes !== undefined) bytes.set(stats.bytes);
      const { waiting: all, highWaiting: high, oldestAge, oldestHighAge } = stats;
      if (all !== undefined && high !== undefined) {
        waiting.set({ priority: "high" }, high);
        waiting.set({ priority: "low" }, all - high);
        age.set({ priority: "high" }, (oldestHighAge ?? 0) * seconds);
        age.set({ priority: "any" }, (oldestAge ?? 0) * seconds);
      }
      if (stats.lastDelivery !== undefined) last.set(stats.lastDelivery * seconds);
      setAside.reset();
      setAside.inc(stats.setAside);
      deliveries.reset();
      for (const [outcome, count] of Object.entries(outbox.acknowledged)) {
        deliveries.inc({ outcome }, count);
      }
      if (!stats.writable) return;
      const drops = await source.drops().catch(() => undefined);
      if (drops) {
        dropped.reset();
        for (const reason of errorDrops) dropped.inc({ reason, category: "error" }, 0);
      }
      for (const { reason, category, quantity } of drops ?? []) {
        dropped.inc({ reason, category }, quantity);
      }
    });
  }

  #tellOfService({ serviceAnswers }: MetricsSources): void {
    const answers = this.#counter("service_answers", "How the service has answered, by status", [
      "status",
    ]);
    this.#readings.push(() => {
      answers.reset();
      for (const [status, count] of serviceAnswers) answers.inc({ status }, count);
    });
  }

  #tellOfDisk({ dataDir, database }: MetricsSources["config"]): void {
    if (database) return;
    const free = this.#gauge("disk_free_bytes", "Where DATA_DIR is");
    this.#readings.push(async () => {
      const found = await statfs(dataDir).catch(() => undefined);
      free.remove();
      if (found) free.set(found.bavail * found.bsize);
    });
  }

  #gauge(name: string, help: string, labelNames: string[] = []): Gauge {
    return new Gauge({ name: `signpost_${name}`, help, labelNames, registers: this.registers });
  }

  #counter(name: string, help: string, labelNames: string[] = []): Counter {
    return new Counter({ name: `signpost_${name}`, help, labelNames, registers: this.registers });
  }
}

/** Next loads this module for instrumentation, which counts requests, and again for the API route. */
const shared = globalThis as { signpostMetrics?: Metrics };

/** The metrics of this process. */
export function metrics(): Metrics {
  const { stats, outbox, refusals, serviceAnswers } = relay();
  shared.signpostMetrics ??= new Metrics({
    stats,
    outbox,
    refusals,
    serviceAnswers,
    config: runtimeConfig(),
  });
  return shared.signpostMetrics;
}

const settingsPath = `${tunnelPath}/settings`;

/** What Next routes to none of its pages. */
function routeBeforeNext({ url = "" }: IncomingMessage): string | undefined {
  const [path = ""] = url.split("?", 1);
  if (path === tunnelPath) return "/api/[tunnel]";
  if (path === settingsPath) return "/api/[tunnel]/settings";
  return path.startsWith(`${basePath}/_next/static/`) ? "/_next/static" : undefined;
}

function statusLabel({ statusCode, writableFinished }: ServerResponse): string {
  return writableFinished ? `${Math.floor(statusCode / 100)}xx` : "aborted";
}
