import { once } from "node:events";
import http from "node:http";
import { expect, test } from "vitest";
import { PlainForm, type PlainFormOptions, type RefusedForm } from "@/lib/feedback/plain-form";
import { defaultLocale, toLocale } from "@/lib/messages/locales";
import type { ItemToWrite } from "@/packages/relay/src/envelope/envelope";
import { readEnvelope } from "@/packages/relay/src/envelope/envelope";
import { BodyMemory } from "@/packages/relay/src/http/body-memory";
import { maxFormBytes } from "@/packages/relay/src/http/form";
import { ClientLimit, feedbackRate } from "@/packages/relay/src/http/rates";
import { OutboxError } from "@/packages/relay/src/outbox/driver";
import { faultsOf } from "@/tests/support/envelope-schema";
import { otherLocale } from "@/tests/support/languages";
import { listen } from "@/tests/support/listening";
import { openOutbox } from "@/tests/support/outboxes";
import { envelopeOf, eventId } from "@/tests/support/sdk-envelopes";
import { sayAndWait, startTunnel } from "@/tests/support/tunnels";

const formType = "application/x-www-form-urlencoded";
const mebibyte = 1024 * 1024;
const reference = "0123456789abcdef0123456789abcdef";

/** A form on a real port, with an outbox on a real file. */
async function startForm(options: Partial<PlainFormOptions> = {}) {
  const opened = openOutbox();
  const pages: RefusedForm[] = [];
  const plain = new PlainForm({
    append: (...report) => opened.outbox.append(...report),
    memory: new BodyMemory(mebibyte),
    limit: new ClientLimit(feedbackRate),
    trustedProxies: [],
    release: "1.2.3",
    environment: "staging",
    async page(refused) {
      pages.push({ ...refused, locale: toLocale(refused.locale) });
      return "<!DOCTYPE html><title>Refused</title>";
    },
    // In an app with one language, no form names it.
    thanks: (locale) => `/${toLocale(locale)}/thanks`,
    ...options,
  });
  const { origin: url } = await listen((request, response) => {
    void plain.handle(request, response);
  });
  const post = (body: RequestInit["body"], headers: Record<string, string> = {}) =>
    fetch(url, { method: "POST", body, headers, redirect: "manual" });
  return {
    ...opened,
    url,
    pages,
    stored: () => opened.stored().map(({ envelope }) => envelope),
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
    headers: { "Content-Type": formType, "Content-Length": maxFormBytes, ...headers },
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

test("what a form sends is on disk as Sentry feedback before it is answered", async () => {
  const { form, stored, url } = await startForm();
  const answer = await form(
    { message: " Zeile 1\r\nZeile „2“ ", name: "Ada", email: "ada@example.org", reference },
    { Referer: `${url}/server?token=secret#part` },
  );
  expect(answer.status).toBe(303);
  expect(await stored()).toHaveLength(1);
  const { header, type, event } = itemOf((await stored())[0]);
  expect(type).toBe("feedback");
  expect(faultsOf(header, "feedback", event)).toEqual([]);
  expect(event).toMatchObject({
    event_id: header.event_id,
    release: "1.2.3",
    environment: "staging",
    sdk: { name: "sentry.javascript.signpost" },
    tags: { side: "browser" },
    contexts: {
      feedback: {
        message: "Zeile 1\nZeile „2“",
        name: "Ada",
        contact_email: "ada@example.org",
        associated_event_id: reference,
      },
    },
  });
  expect(event.contexts.feedback.url).toBe(`${url}/server`);
});

test("a page of another site is not named as the one it was written on", async () => {
  const { form, stored } = await startForm();
  for (const Referer of ["https://elsewhere.example/?q=secret", "nonsense"]) {
    await form({ message: "x" }, { Referer });
  }
  for (const bytes of await stored())
    expect(itemOf(bytes).event.contexts.feedback.url).toBeUndefined();
});

test("a plain form goes on to the thanks in its language, and nowhere else", async () => {
  const { form, stored } = await startForm();
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
  const { form, stored } = await startForm();
  for (const message of ["語".repeat(4000), "🙂".repeat(2000), `x${"\n".repeat(3998)}x`]) {
    expect((await form({ message, name: "語".repeat(100), reference })).status).toBe(303);
  }
  expect(await stored()).toHaveLength(3);
});

test("the first value of each known field is read, and nothing else", async () => {
  const { post, pages } = await startForm();
  const many = Array.from({ length: 5_000 }, (_, n) => `${n}=${n}`).join("&");
  const type = { "Content-Type": formType };
  const answer = await post(`${many}&email=x+%3C&message=first&message=second&__proto__=x`, type);
  expect(answer.status).toBe(422);
  expect(pages).toMatchObject([{ faults: { email: "emailWrong" } }]);
  expect(pages[0]?.values).toEqual({ email: "x <", message: "first" });
});

test("a refused form shows no more of a field than anybody types", async () => {
  const { form, pages } = await startForm();
  await form({ message: "<".repeat(20_000) });
  await form({ message: "", name: "<".repeat(20_000), locale: "x".repeat(1_000) });
  expect(pages[0]?.values.message).toHaveLength(16_000);
  expect(pages[1]?.values).toEqual({
    message: "",
    name: "<".repeat(500),
    locale: "x".repeat(500),
  });
});

test("a refused plain form gets a page with its faults and what was typed, under its own policy", async () => {
  const { form, pages, stored } = await startForm();
  const values = { message: "ü".repeat(10_000), email: "x", locale: otherLocale, reference };
  const answer = await form(values);
  expect(answer.status).toBe(422);
  expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
  const faults = { message: "messageTooLong", email: "emailWrong" };
  expect(pages).toEqual([{ locale: otherLocale, values, faults, problem: undefined }]);
  expect(await stored()).toEqual([]);
});

test("a body that only turns out to be too large is refused too", async () => {
  const { url } = await startForm();
  const headers = { "Content-Type": formType, "Transfer-Encoding": "chunked" };
  const request = http.request(url, { method: "POST", headers });
  request.on("error", () => {});
  request.end(Buffer.alloc(maxFormBytes + 1, "x"));
  const [{ statusCode }] = await once(request, "response");
  expect(statusCode).toBe(413);
});

test("other kinds of body are refused with a page", async () => {
  const { post, pages } = await startForm();
  const multipart = new FormData();
  multipart.set("message", "x");
  expect((await post(multipart)).status).toBe(415);
  expect((await post("{}", { "Content-Type": "application/json" })).status).toBe(415);
  const packed = { "Content-Type": formType, "Content-Encoding": "gzip" };
  expect((await post("message=x", packed)).status).toBe(415);
  expect(pages).toMatchObject(Array(3).fill({ problem: "unreadable", values: {} }));
});

test.each([
  ["cross-site", { "Sec-Fetch-Site": "cross-site" }],
  ["same-site", { "Sec-Fetch-Site": "same-site" }],
  ["another origin", { Origin: "https://elsewhere.example" }],
  ["an opaque origin of another site", { Origin: "null", "Sec-Fetch-Site": "cross-site" }],
  ["an opaque origin, named by its page", { Origin: "null", Referer: "http://elsewhere.example/" }],
])("what comes from another site (%s) is refused and not shown again", async (_name, headers) => {
  const { form, pages, stored } = await startForm();
  expect((await form({ message: "reflected" }, headers)).status).toBe(403);
  expect(pages).toMatchObject([{ problem: "otherSite", values: {} }]);
  expect(await stored()).toEqual([]);
});

test("an own form is taken without its origin, as over plain http under Referrer-Policy: no-referrer", async () => {
  const { form, url, stored } = await startForm();
  expect((await form({ message: "one" }, { Origin: "null" })).status).toBe(303);
  const referer = { Origin: "null", Referer: `${url}/feedback` };
  expect((await form({ message: "two" }, referer)).status).toBe(303);
  expect(await stored()).toHaveLength(2);
});

test("messages of which nobody says where they come from keep no other from being sent", async () => {
  const { form } = await startForm(behindProxy);
  const message = { message: "hello" };
  const opaque = (n: number) => form(message, { Origin: "null", ...from(`198.51.100.${n}`) });
  const statuses = [];
  for (let n = 0; n < 62; n++) statuses.push((await opaque(n)).status);
  expect(statuses).toEqual([...Array(60).fill(303), 429, 429]);
  expect((await form(message, from("198.51.100.200"))).status).toBe(303);
});

test("a filled honeypot is thanked, and nothing is kept", async () => {
  const { form, stored } = await startForm();
  expect((await form({ message: "buy", homepage: "https://spam.example" })).status).toBe(303);
  expect(await stored()).toEqual([]);
});

test("an address that writes too much waits, and keeps its text; others do not", async () => {
  const limit = new ClientLimit({ max: 2, networkMax: 75 });
  const { form, pages, stored } = await startForm({ limit, ...behindProxy });
  await form({ message: "" }, from("198.51.100.1"));
  await form({ message: "1" }, from("198.51.100.1"));
  await form({ message: "2" }, from("198.51.100.1"));
  expectPutOff(await form({ message: "3" }, from("198.51.100.1")), 429);
  expect(pages.at(-1)).toMatchObject({ problem: "tooMany", values: { message: "3" } });
  expect((await form({ message: "4" }, from("198.51.100.2"))).status).toBe(303);
  expect(await stored()).toHaveLength(3);
});

test("of an address that sends far too many forms, no body is read and no page is made", async () => {
  const refused: string[] = [];
  const onRefused = (reason: string) => refused.push(reason);
  const { url, form, pages } = await startForm({ ...behindProxy, onRefused });
  const busy = from("198.51.100.1");
  for (let i = 0; i < 60; i += 1) expect((await form({ message: "" }, busy)).status).toBe(422);
  const answer = await form({ message: "typed" }, busy);
  expectPutOff(answer, 429);
  expect(await answer.json()).toMatchObject({ error: "rate_limited" });
  const unfinished = new Promise((answered) => holdBack(url, busy, answered));
  expect(await unfinished).toBe(429);
  expect(pages).toHaveLength(60);
  expect(refused).toEqual([...Array(60).fill("invalid"), "rate_limited", "rate_limited"]);
  expect((await form({ message: "x" }, from("198.51.100.2"))).status).toBe(303);
});

test("all addresses together write 600 messages a minute, and what was typed is kept", async () => {
  let stored = 0;
  const append = async () => {
    stored += 1;
  };
  const { form, pages } = await startForm({ append, ...behindProxy });
  const answers = await Promise.all(
    Array.from({ length: 700 }, (_, n) => form({ message: "x" }, from(`198.51.${n % 100}.1`))),
  );
  const refused = answers.filter(({ status }) => status !== 303);
  expect([stored, refused.length]).toEqual([600, 100]);
  for (const answer of refused) expectPutOff(answer, 429);
  expectPutOff(await form({ message: "typed" }, from("198.51.100.7")), 429);
  expect(pages.at(-1)).toMatchObject({ problem: "busy", values: { message: "typed" } });
});

test("one IPv6 /48 writes 75 messages a minute, however many /64s it has, and leaves others their own", async () => {
  const { form } = await startForm(behindProxy);
  const send = (address: string) => form({ message: "x" }, from(address));
  const answers = await Promise.all(
    Array.from({ length: 600 }, (_, n) => send(`2001:db8:1:${n % 60}::1`)),
  );
  expect(answers.filter(({ status }) => status === 303)).toHaveLength(75);
  expect((await send("2001:db8:2::1")).status).toBe(303);
  expect((await send("198.51.100.1")).status).toBe(303);
});

test("messages count alike by the form and through the tunnel, where each of an envelope counts", async () => {
  const limit = new ClientLimit(feedbackRate);
  const { form } = await startForm({ limit, ...behindProxy });
  const tunnel = await startTunnel({ feedbackLimit: limit, ...behindProxy });
  const message = (type: string) =>
    [{ type }, JSON.stringify({ event_id: eventId(), comments: "x" })] as ItemToWrite;
  const send = (address: string, ...types: string[]) =>
    tunnel.send(envelopeOf({}, ...types.map(message)), from(address));
  const [one, other] = ["198.51.100.1", "198.51.100.2"];
  for (let n = 0; n < 4; n += 1) expect((await form({ message: "x" }, from(one))).status).toBe(303);
  for (let n = 0; n < 3; n += 1) expect((await send(one, "feedback")).status).toBe(200);
  expect((await send(one, "user_report", "feedback", "user_report", "event")).status).toBe(200);
  const refused = await send(one, "feedback");
  expect(refused).toMatchObject({ status: 429, body: { error: "rate_limited" } });
  expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
  expectPutOff(await form({ message: "x" }, from(one)), 429);
  expect((await send(one, "event")).status).toBe(200);
  for (let n = 0; n < 10; n += 1) expect((await send(other, "feedback")).status).toBe(200);
  expectPutOff(await form({ message: "x" }, from(other)), 429);
});

test("where other bodies take all the room, feedback is refused for now", async () => {
  const memory = new BodyMemory(mebibyte);
  const { form, pages } = await startForm({ memory });
  expect(memory.take(64 * mebibyte)).toBe(true);
  expectPutOff(await form({ message: "x" }), 503);
  expect(pages).toMatchObject([{ problem: "busy", values: {} }]);
  memory.release(64 * mebibyte);
  expect((await form({ message: "x" })).status).toBe(303);
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
  const { form, pages } = await startForm({ append: () => Promise.reject(error) });
  expectPutOff(await form({ message: "typed" }), 503);
  expect(pages).toMatchObject([{ problem: "failed", values: { message: "typed" } }]);
});

test("a message that was not stored does not count: it may be sent again", async () => {
  let isAway = true;
  const append = async () => {
    if (isAway) throw new OutboxError("busy", "The database is away.");
  };
  const { form } = await startForm({ append, limit: new ClientLimit({ max: 2, networkMax: 2 }) });
  for (let n = 0; n < 3; n += 1) expectPutOff(await form({ message: "typed" }), 503);
  isAway = false;
  for (let n = 0; n < 2; n += 1) expect((await form({ message: "typed" })).status).toBe(303);
  expectPutOff(await form({ message: "typed" }), 429);
});

test("a defect is not taken for an outbox that can't store", async () => {
  const plain = new PlainForm({
    append: () => Promise.reject(new TypeError("a defect")),
    memory: new BodyMemory(mebibyte),
    limit: new ClientLimit(feedbackRate),
    trustedProxies: [],
    release: "1",
    environment: "staging",
    page: async () => "",
    thanks: () => "",
  });
  const failed = new Promise<unknown>((resolve) => {
    void listen((request, response) => {
      plain.handle(request, response).catch((error) => {
        resolve(error);
        response.destroy();
      });
    }).then(({ origin }) => {
      const body = new URLSearchParams({ message: "x" });
      return fetch(origin, { method: "POST", body }).catch(() => {});
    });
  });
  expect(String(await failed)).toBe("TypeError: a defect");
});

test("a form whose body stalls is answered 408: it may be sent again", async () => {
  const { url, stored } = await startForm();
  const head = ["POST / HTTP/1.1", "Host: own.example", `Content-Type: ${formType}`];
  const { port } = new URL(url);
  const heard = await sayAndWait(
    Number(port),
    `${head.join("\r\n")}\r\nContent-Length: 9\r\n\r\nm`,
  );
  expect(heard).toMatch(/^HTTP\/1.1 408 /);
  expect(stored()).toEqual([]);
});
