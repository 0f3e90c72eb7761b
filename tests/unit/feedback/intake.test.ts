import { once } from "node:events";
import http from "node:http";
import { expect, test } from "vitest";
import { FeedbackIntake, type IntakeOptions, type RefusedPage } from "@/lib/feedback/intake";
import { defaultLocale, toLocale } from "@/lib/messages/locales";
import type { ItemToWrite } from "@/packages/relay/src/envelope/envelope";
import { readEnvelope } from "@/packages/relay/src/envelope/envelope";
import { BodyMemory } from "@/packages/relay/src/http/body-memory";
import { ClientLimit, feedbackRate } from "@/packages/relay/src/http/client-limit";
import { maxFormBytes } from "@/packages/relay/src/http/read-form";
import { OutboxError } from "@/packages/relay/src/outbox/driver";
import { faultsOf } from "@/tests/support/envelope-schema";
import { otherLocale } from "@/tests/support/languages";
import { listen } from "@/tests/support/listening";
import { openOutbox } from "@/tests/support/outboxes";
import { envelopeOf, eventId } from "@/tests/support/sdk-envelopes";
import { sayAndWait, startTunnel } from "@/tests/support/tunnels";

const mebibyte = 1024 * 1024;
const reference = "0123456789abcdef0123456789abcdef";

/** An intake on a real port, with an outbox on a real file. */
async function startIntake(options: Partial<IntakeOptions> = {}) {
  const opened = openOutbox();
  const pages: RefusedPage[] = [];
  const intake = new FeedbackIntake({
    append: (...report) => opened.outbox.append(...report),
    memory: new BodyMemory(mebibyte),
    limit: new ClientLimit(feedbackRate),
    trustedProxies: [],
    releaseOf: async (build) => (build === "older" ? "1.2.2" : "1.2.3"),
    environment: "staging",
    page(refused) {
      pages.push({ ...refused, locale: toLocale(refused.locale) });
      return "<!DOCTYPE html><title>Refused</title>";
    },
    // In an app with one language, no form names it.
    thanks: (locale) => `/${toLocale(locale)}/thanks`,
    ...options,
  });
  const { origin: url } = await listen((request, response) => {
    void intake.handle(request, response);
  });
  const post = (body: RequestInit["body"], headers: Record<string, string> = {}) =>
    fetch(url, { method: "POST", body, headers, redirect: "manual" });
  return {
    ...opened,
    url,
    pages,
    stored: () => opened.stored().map(({ envelope }) => envelope),
    json: (value: unknown, headers: Record<string, string> = {}) =>
      post(typeof value === "string" ? value : JSON.stringify(value), {
        "Content-Type": "application/json",
        ...headers,
      }),
    form: (fields: Record<string, string>, headers: Record<string, string> = {}) =>
      post(new URLSearchParams(fields), headers),
    post,
  };
}

/** Sends all but the end of a body as large as may be, and waits. */
function holdBack(
  url: string,
  headers: http.OutgoingHttpHeaders,
  answered: (status: number | undefined) => void,
): http.ClientRequest {
  const request = http.request(url, {
    method: "POST",
    agent: false,
    headers: { "Content-Type": "application/json", "Content-Length": maxFormBytes, ...headers },
  });
  request.on("error", () => {});
  request.on("response", ({ statusCode }) => answered(statusCode));
  request.write(Buffer.alloc(maxFormBytes - 100, "x"));
  return request;
}

const behindProxy = { trustedProxies: ["loopback"] };
const from = (address: string) => ({ "X-Forwarded-For": address });

/** The answer refuses for now, with the time after which to try again. */
function expectPutOff(answer: Response, status: 429 | 503): void {
  expect(answer.status).toBe(status);
  expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
}

/** The one item in an envelope, parsed. */
function itemOf(bytes: Uint8Array | undefined) {
  const envelope = readEnvelope(bytes ?? new Uint8Array());
  if ("fault" in envelope) throw new Error(envelope.detail);
  expect(envelope.items).toHaveLength(1);
  const [item] = envelope.items;
  return {
    header: envelope.header,
    type: item?.type,
    event: JSON.parse(Buffer.from(item?.payload ?? []).toString()),
  };
}

test("feedback bears the release of its page's build, as the script names it", async () => {
  const { json, stored } = await startIntake();
  await json({ message: "It broke", build: "older" });
  const { event } = itemOf((await stored())[0]);
  expect(event.release).toBe("1.2.2");
});

test("what a script sends is on disk as Sentry feedback before it is answered", async () => {
  const { json, stored, url } = await startIntake();
  const answer = await json(
    { message: " Zeile 1\nZeile „2“ ", name: "Ada", email: "ada@example.org", reference },
    {
      Referer: `${url}/server?token=secret#part`,
      "User-Agent":
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:152.0) Gecko/20100101 Firefox/152.0",
    },
  );
  expect(answer.status).toBe(200);
  expect(answer.headers.get("cache-control")).toBe("no-store");
  const { id } = (await answer.json()) as { id: string };
  expect(id).toMatch(/^[\da-f]{32}$/);
  expect(await stored()).toHaveLength(1);
  const { header, type, event } = itemOf((await stored())[0]);
  expect(type).toBe("feedback");
  expect(faultsOf(header, "feedback", event)).toEqual([]);
  expect(header.event_id).toBe(id);
  expect(event).toMatchObject({
    event_id: id,
    release: "1.2.3",
    environment: "staging",
    sdk: { name: "sentry.javascript.signpost" },
    tags: { side: "browser" },
    contexts: {
      browser: { name: "Firefox", version: "152" },
      os: { name: "Windows" },
      feedback: {
        message: "Zeile 1\nZeile „2“",
        name: "Ada",
        contact_email: "ada@example.org",
        associated_event_id: reference,
      },
    },
  });
  expect(event.contexts.feedback.url).toContain(`${url}/server?token=`);
  expect(event.contexts.feedback.url).not.toContain("secret");
});

test("a page of another site is not named as the one it was written on", async () => {
  const { json, stored } = await startIntake();
  for (const Referer of ["https://elsewhere.example/?q=secret", "nonsense"]) {
    await json({ message: "x" }, { Referer });
  }
  for (const bytes of await stored())
    expect(itemOf(bytes).event.contexts.feedback.url).toBeUndefined();
});

test("a plain form goes on to the thanks in its language, and nowhere else", async () => {
  const { form, stored } = await startIntake();
  for (const [locale, place] of [
    [otherLocale, `/${otherLocale}/thanks`],
    ["//elsewhere.example", `/${defaultLocale}/thanks`],
    ["", `/${defaultLocale}/thanks`],
  ] as const) {
    const answer = await form({ message: "Grüße & mehr", locale });
    expect(answer.status).toBe(303);
    expect(answer.headers.get("location")).toBe(place);
  }
  expect(await stored()).toHaveLength(3);
  expect(itemOf((await stored())[0]).event.contexts.feedback.message).toBe("Grüße & mehr");
});

test("the longest message is taken from a plain form, whatever its script", async () => {
  const { form, stored } = await startIntake();
  for (const message of ["語".repeat(4000), "🙂".repeat(2000), `x${"\n".repeat(3998)}x`]) {
    expect((await form({ message, name: "語".repeat(100), reference })).status).toBe(303);
  }
  expect(await stored()).toHaveLength(3);
});

test("the first value of each known field is read, and nothing else", async () => {
  const { post, json, pages } = await startIntake();
  const many = Array.from({ length: 5_000 }, (_, n) => `${n}=${n}`).join("&");
  const type = { "Content-Type": "application/x-www-form-urlencoded" };
  const answer = await post(`${many}&email=x+%3C&message=first&message=second&__proto__=x`, type);
  expect(answer.status).toBe(422);
  expect(pages).toMatchObject([{ faults: { email: "emailWrong" } }]);
  expect(pages[0]?.values).toEqual({ email: "x <", message: "first" });
  expect((await json({ message: "", other: "x" })).status).toBe(422);
});

test("a refused form shows no more of a field than anybody types", async () => {
  const { form, pages } = await startIntake();
  await form({ message: "<".repeat(20_000) });
  await form({ message: "", name: "<".repeat(20_000), locale: "x".repeat(1_000) });
  expect(pages[0]?.values.message).toHaveLength(16_000);
  expect(pages[1]?.values).toEqual({
    message: "",
    name: "<".repeat(500),
    locale: "x".repeat(500),
  });
});

test("a script is told each field at fault, and nothing is kept", async () => {
  const { json, stored } = await startIntake();
  const answer = await json({ message: " ", email: "x" });
  expect(answer.status).toBe(422);
  expect(await answer.json()).toEqual({
    error: "invalid",
    detail: expect.any(String),
    fields: { message: "messageRequired", email: "emailWrong" },
  });
  expect(await stored()).toEqual([]);
});

test("a refused plain form gets a page with its faults and what was typed, under its own policy", async () => {
  const { form, pages, stored } = await startIntake();
  const values = { message: "ü".repeat(10_000), email: "x", locale: otherLocale, reference };
  const answer = await form(values);
  expect(answer.status).toBe(422);
  expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
  const faults = { message: "messageTooLong", email: "emailWrong" };
  expect(pages).toEqual([{ locale: otherLocale, values, faults, problem: undefined }]);
  expect(await stored()).toEqual([]);
});

test.each([
  ["no JSON", "{", 400, "malformed"],
  ["JSON that is no object", "[1]", 400, "malformed"],
  ["nothing", "", 400, "malformed"],
  ["too much", JSON.stringify({ message: "x".repeat(maxFormBytes) }), 413, "too_large"],
])("%s in a body is refused", async (_name, body, status, error) => {
  const { json, stored } = await startIntake();
  const answer = await json(body);
  expect(answer.status).toBe(status);
  expect(await answer.json()).toEqual({ error, detail: expect.any(String) });
  expect(await stored()).toEqual([]);
});

test("a body that only turns out to be too large is refused too", async () => {
  const { url } = await startIntake();
  const headers = { "Content-Type": "application/json", "Transfer-Encoding": "chunked" };
  const request = http.request(url, { method: "POST", headers });
  request.on("error", () => {});
  request.end(Buffer.alloc(maxFormBytes + 1, "x"));
  const [{ statusCode }] = await once(request, "response");
  expect(statusCode).toBe(413);
});

test("other kinds of body are refused, as a page to a browser", async () => {
  const { post, pages } = await startIntake();
  const multipart = new FormData();
  multipart.set("message", "x");
  expect((await post(multipart)).status).toBe(415);
  expect(pages).toEqual([]);
  const answer = await post(multipart, { Accept: "text/html,*/*;q=0.8" });
  expect(answer.status).toBe(415);
  expect(pages).toMatchObject([{ problem: "unreadable", values: {} }]);
  const packed = { "Content-Type": "application/json", "Content-Encoding": "gzip" };
  expect((await post("{}", packed)).status).toBe(415);
});

test.each([
  ["cross-site", { "Sec-Fetch-Site": "cross-site" }],
  ["same-site", { "Sec-Fetch-Site": "same-site" }],
  ["another origin", { Origin: "https://elsewhere.example" }],
  ["an opaque origin of another site", { Origin: "null", "Sec-Fetch-Site": "cross-site" }],
  ["an opaque origin, named by its page", { Origin: "null", Referer: "http://elsewhere.example/" }],
])("what comes from another site (%s) is refused and not shown again", async (_name, headers) => {
  const { json, form, pages, stored } = await startIntake();
  const answer = await json({ message: "x" }, headers);
  expect(answer.status).toBe(403);
  expect(await answer.json()).toMatchObject({ error: "other_site" });
  expect((await form({ message: "reflected" }, headers)).status).toBe(403);
  expect(JSON.stringify(pages)).not.toContain("reflected");
  expect(await stored()).toEqual([]);
});

test("an own form is taken without its origin, as over plain http under Referrer-Policy: no-referrer", async () => {
  const { form, url, stored } = await startIntake();
  expect((await form({ message: "one" }, { Origin: "null" })).status).toBe(303);
  const referer = { Origin: "null", Referer: `${url}/feedback` };
  expect((await form({ message: "two" }, referer)).status).toBe(303);
  expect(await stored()).toHaveLength(2);
});

test("messages of which nobody says where they come from keep no other from being sent", async () => {
  const { form, json } = await startIntake(behindProxy);
  const message = { message: "hello" };
  const opaque = (n: number) => form(message, { Origin: "null", ...from(`198.51.100.${n}`) });
  const statuses = [];
  for (let n = 0; n < 62; n++) statuses.push((await opaque(n)).status);
  expect(statuses).toEqual([...Array(60).fill(303), 429, 429]);
  expect((await json(message, from("198.51.100.200"))).status).toBe(200);
});

test("a filled honeypot is thanked, and nothing is kept", async () => {
  const { form, json, stored } = await startIntake();
  expect((await form({ message: "buy", homepage: "https://spam.example" })).status).toBe(303);
  expect((await json({ message: "buy", homepage: "https://spam.example" })).status).toBe(200);
  expect(await stored()).toEqual([]);
});

test("an address that writes too much waits, and keeps its text; others do not", async () => {
  const limit = new ClientLimit({ max: 2, networkMax: 75 });
  const { form, json, pages, stored } = await startIntake({ limit, ...behindProxy });
  await json({ message: "" }, from("198.51.100.1"));
  await json({ message: "1" }, from("198.51.100.1"));
  await json({ message: "2" }, from("198.51.100.1"));
  const answer = await json({ message: "3" }, from("198.51.100.1"));
  expectPutOff(answer, 429);
  const plain = await form({ message: "4" }, from("198.51.100.1"));
  expect(plain.status).toBe(429);
  expect(pages).toMatchObject([{ problem: "tooMany", values: { message: "4" } }]);
  expect((await json({ message: "5" }, from("198.51.100.2"))).status).toBe(200);
  expect(await stored()).toHaveLength(3);
});

test("an address that asks far too often is refused, a plain form with what was typed, and others are read", async () => {
  const { form, json, pages } = await startIntake({ requestRate: 6, ...behindProxy });
  const busy = from("198.51.100.1");
  for (let i = 0; i < 6; i += 1) expect((await json({ message: "" }, busy)).status).toBe(422);
  const answer = await json({ message: "x" }, busy);
  expectPutOff(answer, 429);
  const typed = { message: "x", locale: otherLocale };
  expect((await form(typed, busy)).status).toBe(429);
  expect(pages).toMatchObject([{ problem: "busy", values: typed, locale: otherLocale }]);
  expect((await json({ message: "x" }, from("198.51.100.2"))).status).toBe(200);
});

test("beyond twice the requests that are allowed, no body is read and no page is made", async () => {
  const refused: string[] = [];
  const onRefused = (reason: string) => refused.push(reason);
  const { url, form, json, pages } = await startIntake({
    requestRate: 6,
    ...behindProxy,
    onRefused,
  });
  const busy = from("198.51.100.1");
  for (let i = 0; i < 12; i += 1) await form({ message: "" }, busy);
  expect(pages).toHaveLength(12);
  const answer = await form({ message: "typed" }, busy);
  expectPutOff(answer, 429);
  expect(await answer.json()).toMatchObject({ error: "rate_limited" });
  const unfinished = new Promise((answered) => holdBack(url, busy, answered));
  expect(await unfinished).toBe(429);
  expect(pages).toHaveLength(12);
  const told = [...Array<string>(6).fill("invalid"), ...Array<string>(8).fill("rate_limited")];
  expect(refused).toEqual(told);
  expect((await json({ message: "x" }, from("198.51.100.2"))).status).toBe(200);
});

test("all addresses together write 600 messages a minute, and what was typed is kept", async () => {
  let stored = 0;
  const append = async () => {
    stored += 1;
  };
  const { json, form, pages } = await startIntake({ append, ...behindProxy });
  const answers = await Promise.all(
    Array.from({ length: 700 }, (_, n) => json({ message: "x" }, from(`198.51.${n % 100}.1`))),
  );
  const refused = answers.filter(({ status }) => status !== 200);
  expect([stored, refused.length]).toEqual([600, 100]);
  for (const answer of refused) expectPutOff(answer, 429);
  expectPutOff(await form({ message: "typed" }, from("198.51.100.7")), 429);
  expect(pages).toMatchObject([{ problem: "busy", values: { message: "typed" } }]);
});

test("one IPv6 /48 writes 75 messages a minute, however many /64s it has, and leaves others their own", async () => {
  const { json } = await startIntake(behindProxy);
  const send = (address: string) => json({ message: "x" }, from(address));
  const answers = await Promise.all(
    Array.from({ length: 600 }, (_, n) => send(`2001:db8:1:${n % 60}::1`)),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(75);
  expect((await send("2001:db8:2::1")).status).toBe(200);
  expect((await send("198.51.100.1")).status).toBe(200);
});

test("messages count alike by the form and through the tunnel, where each of an envelope counts", async () => {
  const limit = new ClientLimit(feedbackRate);
  const { json } = await startIntake({ limit, ...behindProxy });
  const tunnel = await startTunnel({ feedbackLimit: limit, ...behindProxy });
  const message = (type: string) =>
    [{ type }, JSON.stringify({ event_id: eventId(), comments: "x" })] as ItemToWrite;
  const send = (address: string, ...types: string[]) =>
    tunnel.send(envelopeOf({}, ...types.map(message)), from(address));
  const [one, other] = ["198.51.100.1", "198.51.100.2"];
  for (let n = 0; n < 4; n += 1) expect((await json({ message: "x" }, from(one))).status).toBe(200);
  for (let n = 0; n < 3; n += 1) expect((await send(one, "feedback")).status).toBe(200);
  expect((await send(one, "user_report", "feedback", "user_report", "event")).status).toBe(200);
  const refused = await send(one, "feedback");
  expect(refused).toMatchObject({ status: 429, body: { error: "rate_limited" } });
  expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
  expectPutOff(await json({ message: "x" }, from(one)), 429);
  expect((await send(one, "event")).status).toBe(200);
  for (let n = 0; n < 10; n += 1) expect((await send(other, "feedback")).status).toBe(200);
  expectPutOff(await json({ message: "x" }, from(other)), 429);
});

test("one address that holds back the ends of many bodies leaves room for others", async () => {
  const { url, json, stored } = await startIntake({ requestRate: 600, ...behindProxy });
  const refused: unknown[] = [];
  const requests = Array.from({ length: 140 }, () =>
    holdBack(url, { "X-Forwarded-For": "198.51.100.1" }, (status) => refused.push(status)),
  );
  // With what their requests take beside them, less than a hundred fit into an eighth of 64 MiB.
  await expect.poll(() => refused.length).toBeGreaterThan(40);
  expect(new Set(refused)).toEqual(new Set([429]));
  const other = await json({ message: "x" }, from("198.51.100.2"));
  expect(other.status).toBe(200);
  expect(await stored()).toHaveLength(1);
  for (const request of requests) request.destroy();
});

test("where other bodies take all the room, feedback is refused for now", async () => {
  const memory = new BodyMemory(mebibyte);
  const { form, json, pages } = await startIntake({ memory });
  expect(memory.take(64 * mebibyte)).toBe(true);
  const answer = await json({ message: "x" });
  expectPutOff(answer, 503);
  expect(await answer.json()).toMatchObject({ error: "unavailable" });
  expect((await form({ message: "x" })).status).toBe(503);
  expect(pages).toMatchObject([{ problem: "busy", values: {} }]);
  memory.release(64 * mebibyte);
  expect((await json({ message: "x" })).status).toBe(200);
  expect(memory.take(64 * mebibyte)).toBe(true);
});

/** The same error of another instance of the module, of which a server may have two. */
class ForeignOutboxError extends Error {
  override readonly name = "OutboxError";
  readonly fault = "full";
}

test.each([
  ["a full", new ForeignOutboxError("The disk is full.")],
  ["a closed", new OutboxError("unwritable", "The outbox is closed.")],
])("what %s outbox refuses is refused for now, with what was typed", async (_what, error) => {
  const { form, json, pages } = await startIntake({ append: () => Promise.reject(error) });
  const answer = await json({ message: "x" });
  expectPutOff(answer, 503);
  expect(await answer.json()).toMatchObject({ error: "unavailable" });
  expectPutOff(await form({ message: "typed" }), 503);
  expect(pages).toMatchObject([{ problem: "failed", values: { message: "typed" } }]);
});

test("a defect is not taken for an outbox that can't store", async () => {
  const intake = new FeedbackIntake({
    append: () => Promise.reject(new TypeError("a defect")),
    memory: new BodyMemory(mebibyte),
    limit: new ClientLimit(feedbackRate),
    trustedProxies: [],
    releaseOf: async () => "1",
    environment: "staging",
    page: () => "",
    thanks: () => "",
  });
  const failed = new Promise<unknown>((resolve) => {
    void listen((request, response) => {
      intake.handle(request, response).catch((error) => {
        resolve(error);
        response.destroy();
      });
    }).then(({ origin }) => {
      const headers = { "Content-Type": "application/json" };
      return fetch(origin, { method: "POST", headers, body: '{"message":"x"}' }).catch(() => {});
    });
  });
  expect(String(await failed)).toBe("TypeError: a defect");
});

test("a form whose body stalls is answered 408: it may be sent again", async () => {
  const { url, stored } = await startIntake();
  const head = ["POST / HTTP/1.1", "Host: own.example", "Content-Type: application/json"];
  const { port } = new URL(url);
  const heard = await sayAndWait(
    Number(port),
    `${head.join("\r\n")}\r\nContent-Length: 9\r\n\r\n{`,
  );
  expect(heard).toMatch(/^HTTP\/1.1 408 /);
  expect(heard).toContain('"error":"incomplete"');
  expect(stored()).toEqual([]);
});
