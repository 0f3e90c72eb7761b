import http from "node:http";
import net from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished } from "vitest";
import { envelope, errorEvent } from "../support/envelopes";
import { eventId } from "../support/sdk-envelopes";
import { type App, type Environment, startApp } from "../support/server";
import type { Service } from "../support/service";

/** What docs/deployment.md says is enough, under attack too. */
const heapMb = 256;
const maxPeakMb = 512;
/** The back-off after a service was away is part of it. */
const maxDeliveryMs = 60_000;

const usageOnSignal = pathToFileURL(join(import.meta.dirname, "usage-on-signal.mjs")).href;

/** Until an error that came behind a flood is shown. */
const maxFilingMs = 20_000;

/** A request, by default a GET of `/`. */
export interface Asked {
  method?: string;
  /** Path and query, as they go over the wire. */
  path?: string;
  headers?: http.OutgoingHttpHeaders;
  body?: string | Uint8Array;
  /** The client's address: the server believes the proxy that the tests are. */
  from?: string;
}

export interface Answered {
  /** 0 where the connection was broken before an answer. */
  status: number;
  headers: http.IncomingHttpHeaders;
  text: string;
}

interface Connection {
  localAddress?: string | undefined;
  idleMs?: number;
}

interface Usage {
  /** Of all threads, since the start. */
  cpuMs: number;
  /** The most memory that the process has had, in MiB. */
  peakMb: number;
  /** What it refers to now, in its heap and outside of it, in MiB. */
  heldMb: number;
}

/** A server of the production build under attack. */
export interface Target {
  app: App;
  ask(asked: Asked): Promise<Answered>;
  /** Hands an envelope to the tunnel. */
  report(envelope: Uint8Array, asked?: Asked): Promise<Answered>;
  /** The same as the operator, whose browser has the inbox's cookie. */
  look(path: string, asked?: Asked): Promise<Answered>;
  /**
   * Sends bytes over a connection of its own, and gives what came back until the server closed it.
   *
   * @param over of the connection: the address of this machine that it comes from, and after how many
   *   milliseconds without a movement the client closes it
   */
  send(bytes: string | Uint8Array, over?: Connection): Promise<string>;
  usage(): Promise<Usage>;
  /** Processor time of the server for each call of `work`, in milliseconds. */
  cpuOf(times: number, work: () => Promise<unknown>): Promise<number>;
}

/**
 * Starts a server with the heap that the docs name, behind a trusted proxy on this machine. It ends
 * with the test.
 */
export async function startTarget(env: Environment = {}): Promise<Target> {
  const app = await startApp("default", {
    NODE_OPTIONS: `--max-old-space-size=${heapMb} --import=${usageOnSignal}`,
    TRUSTED_PROXIES: "loopback",
    SENTRY_TRACES_SAMPLE_RATE: "0",
    ...env,
  });
  const agent = new http.Agent({ keepAlive: true, maxSockets: 32 });
  onTestFinished(async () => {
    agent.destroy();
    await app.kill();
  });
  const port = Number(new URL(app.origin).port);
  const ask = (asked: Asked) => askOnce(agent, port, asked);
  let cookie: string | undefined;
  const target: Target = {
    app,
    ask,
    report: (body, asked) => ask({ method: "POST", path: "/api/relay", body, ...asked }),
    async look(path, asked) {
      if (!cookie) {
        const opened = await ask({ path: `/reports?token=${app.inboxToken}` });
        cookie = String(opened.headers["set-cookie"]?.[0]?.split(";")[0]);
      }
      return ask({ path, ...asked, headers: { cookie, ...asked?.headers } });
    },
    send: (bytes, over) => sendRaw(port, bytes, over),
    async usage() {
      const lines = () => app.output().match(/^usage .*$/gm) ?? [];
      const before = lines().length;
      app.signal("SIGUSR2");
      await expect.poll(() => lines().length).toBeGreaterThan(before);
      return JSON.parse(String(lines().at(-1)).slice("usage ".length)) as Usage;
    },
    async cpuOf(times, work) {
      const before = await target.usage();
      for (let n = 0; n < times; n++) await work();
      return ((await target.usage()).cpuMs - before.cpuMs) / times;
    },
  };
  return target;
}

/** The same, once its store has answered: a database takes its time to make the tables. */
export async function startStoringTarget(env: Environment): Promise<Target> {
  const target = await startTarget(env);
  const ready = () => target.ask({ path: "/api/health/ready?reporting" });
  await expect.poll(async () => (await ready()).status, { timeout: 20_000 }).toBe(200);
  return target;
}

function askOnce(agent: http.Agent, port: number, asked: Asked): Promise<Answered> {
  const { method = "GET", path = "/", headers = {}, body, from } = asked;
  return new Promise((resolve) => {
    const broken = () => {
      // The server closed a connection that was idle: as browsers do, ask again over another.
      if (request.reusedSocket) resolve(askOnce(agent, port, asked));
      else resolve({ status: 0, headers: {}, text: "" });
    };
    const request = http.request({
      agent,
      host: "127.0.0.1",
      port,
      method,
      path,
      headers: { ...(from && { "X-Forwarded-For": from }), ...headers },
    });
    request.on("error", broken);
    request.on("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("error", broken);
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      });
    });
    request.end(body);
  });
}

function sendRaw(
  port: number,
  bytes: string | Uint8Array,
  { localAddress, idleMs = 20_000 }: Connection = {},
): Promise<string> {
  return new Promise((resolve) => {
    let received = "";
    const to = { port, host: "127.0.0.1", localAddress };
    const socket = net.connect(to, () => socket.write(bytes));
    socket.setTimeout(idleMs, () => socket.destroy());
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
      // Node answers nothing over a connection that its client has ended before.
      socket.end();
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve(received));
  });
}

/** Does the work for each input, so many at once, and gives the results in the order of the inputs. */
export async function inParallel<Input, Result>(
  inputs: Iterable<Input>,
  work: (input: Input, index: number) => Promise<Result>,
  atOnce = 16,
): Promise<Result[]> {
  const results: Result[] = [];
  const iterator = inputs[Symbol.iterator]();
  let next = 0;
  const worker = async () => {
    for (;;) {
      const { done, value } = iterator.next();
      if (done) return;
      const index = next++;
      results[index] = await work(value, index);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}

/** How many answers had each status. */
export function countStatuses(answers: readonly Answered[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** Refused for now, with the time after which to try again. */
export function isPutOff({ status, headers }: Answered, refusal: 429 | 503): boolean {
  return status === refusal && Number(headers["retry-after"]) > 0;
}

/** An address of its own for each number below 65,536: no two of them share a rate. */
export function address(n: number): string {
  return `10.7.${(n >> 8) & 255}.${n & 255}`;
}

export interface HonestError {
  id: string;
  message: string;
}

let honestAddresses = 0;

/** Reports errors as so many visitors do, each from an address of its own. All must be taken. */
export async function reportHonestErrors(target: Target, count = 20): Promise<HonestError[]> {
  return inParallel(Array(count).keys(), async () => {
    honestAddresses += 1;
    const id = eventId();
    const message = `honest error ${id}`;
    const event = errorEvent({ event_id: id, timestamp: Date.now() / 1000 });
    const [exception] = (event.exception as { values: { value: string }[] }).values;
    if (exception) exception.value = message;
    const body = envelope([["event", event]], { event_id: id });
    const from = `198.51.${(honestAddresses >> 8) & 255}.${honestAddresses & 255}`;
    const answer = await target.report(body, { from });
    expect(answer.status, "an honest error is taken").toBe(200);
    return { id, message };
  });
}

/** Each has a page in the inbox that shows it. */
export async function expectShown(target: Target, errors: readonly HonestError[]): Promise<void> {
  for (const { id, message } of errors) {
    const find = () => target.look(`/reports/${id}`);
    // It is filed behind what came before it.
    await expect
      .poll(async () => (await find()).status, {
        message: `the page of ${message}`,
        timeout: maxFilingMs,
      })
      .toBe(307);
    const page = await target.look(String((await find()).headers.location));
    expect(page.status, `the page of ${message}`).toBe(200);
    expect(page.text.includes(message), `the page shows ${message}`).toBe(true);
  }
}

export function idsOf(errors: readonly HonestError[]): string[] {
  return errors.map(({ id }) => id);
}

/** Each event reaches the service. */
export async function expectDelivered(
  service: Service,
  eventIds: readonly string[],
): Promise<void> {
  const missing = new Set<unknown>(eventIds);
  let seen = 0;
  await service.waitFor(({ envelopes }) => {
    for (; seen < envelopes.length; seen++) missing.delete(envelopes[seen]?.header.event_id);
    return missing.size === 0;
  }, maxDeliveryMs);
}

/** The process is alive and ready, and has kept to its memory; 20 honest errors come through. */
export async function expectUnharmed(target: Target, service?: Service): Promise<void> {
  const errors = await reportHonestErrors(target);
  if (service) await expectDelivered(service, idsOf(errors));
  else await expectShown(target, errors);
  const ready = await target.ask({ path: "/api/health/ready?reporting" });
  expect(ready.status, "it is ready").toBe(200);
  const { peakMb } = await target.usage();
  expect(peakMb, "its memory").toBeLessThan(maxPeakMb);
}
