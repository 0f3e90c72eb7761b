import { describe, expect, test } from "vitest";
import { privateNames } from "@/packages/sentry/src/shared/privacy/private-names";
import { Scrubber, scrubQuery, scrubText } from "@/packages/sentry/src/shared/privacy/scrub";
import { scrubbing } from "@/packages/sentry/src/shared/privacy/scrub-envelope";
import { seededRandom } from "@/tests/support/seeded-random";

/** The event as the transport gets it. */
function scrubEvent<Event extends object>(event: Event): Event {
  let sent: unknown;
  const send = ([, [item]]: [object, [object, Event][]]) => {
    sent = item?.[1];
  };
  scrubbing(() => ({ send }))(undefined).send([{}, [[{ type: "event" }, event]]]);
  return sent as Event;
}

function scrub<Data extends object>(data: Data): Data {
  return new Scrubber(privateNames([])).clean(data) as Data;
}

describe("scrubText", () => {
  test.each([
    ["/dynamic/abc", "/dynamic/abc"],
    ["/a?token=secret", "/a?token=[Filtered]"],
    ["/a?x=1&y=two%20words&x=3", "/a?x=[Filtered]&y=[Filtered]&x=[Filtered]"],
    ["/a?flag", "/a?flag"],
    ["/a?flag&x=secret", "/a?flag&x=[Filtered]"],
    ["/a?x=", "/a?x="],
    ["/a?x=b?c=d", "/a?x=[Filtered]"],
    ["/a?x=o'brien;(b)", "/a?x=[Filtered]"],
    ["/a#section-2", "/a#section-2"],
    ['div > button#exception[type="button"]', 'div > button#exception[type="button"]'],
    ['a#b[type="c"][title="d e"] > i', 'a#b[type="c"][title="d e"] > i'],
    ["/a#x[y]=secret", "/a#x[y]=[Filtered]"],
    ["/a#access_token=secret&state=s", "/a#access_token=[Filtered]&state=[Filtered]"],
    ["/a?x=1#y=2", "/a?x=[Filtered]#y=[Filtered]"],
    ["/a?filter[name]=me", "/a?filter[name]=[Filtered]"],
    ["https://me:secret@example.com/a", "https://example.com/a"],
    ["postgres://me:p@ss@db.example.com/a refuses", "postgres://db.example.com/a refuses"],
    ["postgres://a:s@b/c and me@example.com", "postgres://b/c and me@example.com"],
    ["GET https://example.com/a?x=1 failed", "GET https://example.com/a?x=[Filtered] failed"],
    ['"/a?x=1"', '"/a?x=[Filtered]"'],
    ["/a?x=1`secret<secret&y=2", "/a?x=[Filtered]&y=[Filtered]"],
    [`/a?${"k".repeat(1000)}=secret`, `/a?${"k".repeat(1000)}=[Filtered]`],
    ["is 1 = 1? yes", "is 1 = 1? yes"],
    ["mail me@example.com", "mail me@example.com"],
  ])("makes %s into %s, and leaves that alone", (text, cleaned) => {
    expect(scrubText(text)).toBe(cleaned);
    expect(scrubText(cleaned)).toBe(cleaned);
  });
});

test.each([
  ['a#b[aria-label="To ann@example.org"] > i', 'a#b[aria-label="[Filtered]"] > i'],
  ['img#b[alt="/a?x=1"] > i', 'img#b[alt="[Filtered]"] > i'],
  ['button#b[type="button"]', 'button#b[type="button"]'],
])("of the selector %s, only a value that may be private goes", (message, cleaned) => {
  expect(scrub({ message })).toEqual({ message: cleaned });
});

describe("scrubQuery", () => {
  test.each([
    ["a=1&b=2", "a=[Filtered]&b=[Filtered]"],
    ["?a=1", "?a=[Filtered]"],
    ["a", "a"],
    ["a=1=2", "a=[Filtered]"],
    ["", ""],
  ])("makes %s into %s", (query, cleaned) => {
    expect(scrubQuery(query)).toBe(cleaned);
  });
});

describe("scrubEvent", () => {
  test("keeps of a request only method, URL and the names of its parameters", () => {
    const event = scrubEvent({
      request: {
        method: "POST",
        url: "https://example.com/a?token=secret",
        query_string: "token=secret",
        data: "secret",
        cookies: { session: "secret" },
        headers: { cookie: "secret", Referer: "https://example.com/?q=secret" },
        env: { REMOTE_ADDR: "secret" },
      },
    });
    expect(event.request).toEqual({
      method: "POST",
      url: "https://example.com/a?token=[Filtered]",
      query_string: "token=[Filtered]",
    });
  });

  test.each([[{ token: "secret", b: "secret" }], [[["token", "secret"]]], ["?token=secret"]])(
    "keeps no value of the query string %j",
    (query_string) => {
      const text = JSON.stringify(scrubEvent({ request: { query_string } }));
      expect(text).toContain("token");
      expect(text).not.toContain("secret");
    },
  );

  test("filters who a user is, keeps the rest, and leaves out the address, which must be valid", () => {
    const user = { id: "7", email: "secret", name: "secret", username: "secret", plan: "pro" };
    expect(scrubEvent({ user: { ...user, ip_address: "{{auto}}" } }).user).toEqual({
      id: "7",
      email: "[Filtered]",
      name: "[Filtered]",
      username: "[Filtered]",
      plan: "pro",
    });
    expect(scrubEvent({ user: { ip_address: "secret" } }).user).toBeUndefined();
  });

  test("cleans messages, breadcrumbs, tags, contexts, frames and spans", () => {
    const url = "https://example.com/a?token=secret#t=secret";
    const event = scrubEvent({
      message: `failed at ${url}`,
      transaction: "/a",
      exception: {
        values: [{ type: "E", value: url, stacktrace: { frames: [{ filename: url, lineno: 1 }] } }],
      },
      breadcrumbs: [{ category: "navigation", data: { from: "/a?b=secret", to: url } }],
      tags: { url },
      contexts: {
        trace: { trace_id: "1", data: { "url.query": "token=secret", "url.full": url } },
      },
      extra: { __serialized__: { referer: url } },
      spans: [
        {
          description: `GET ${url}`,
          data: {
            "http.query": "?token=secret",
            "http.request.header.cookie": "secret",
            "http.request.body.data": "secret",
            "client.address": "secret",
            "user_agent.original": "secret",
            "http.response.status_code": 200,
          },
        },
      ],
    });
    expect(JSON.stringify(event)).not.toContain("secret");
    expect(event.exception.values[0]?.stacktrace.frames[0]?.lineno).toBe(1);
    expect(event.spans[0]?.data).toEqual({
      "http.query": "?token=[Filtered]",
      "http.request.header.cookie": "[Filtered]",
      "http.request.body.data": "[Filtered]",
      "client.address": "[Filtered]",
      "user_agent.original": "[Filtered]",
      "http.response.status_code": 200,
    });
    expect(event.contexts.trace.trace_id).toBe("1");
  });

  test("leaves the event it was given, and what the SDK says of itself, alone", () => {
    const given = { message: "/a?b=1", sdk: { settings: { infer_ip: "never" } } };
    expect(scrubEvent(given).sdk).toEqual(given.sdk);
    expect(given.message).toBe("/a?b=1");
  });

  test("survives cycles, depth and properties that throw", () => {
    const cyclic: Record<string, unknown> = { url: "/a?b=secret" };
    cyclic.self = cyclic;
    const deep = JSON.parse(`${'{"a":'.repeat(200)}"/a?b=secret"${"}".repeat(200)}`);
    const thrower = Object.defineProperty({}, "bad", {
      enumerable: true,
      get() {
        throw new Error("secret");
      },
    });
    const event = scrubEvent({ extra: { cyclic, deep, thrower } });
    expect(JSON.stringify(event)).not.toContain("secret");
  });
});

test("a span's attributes are cleaned in either of their two notations", () => {
  expect(
    scrub({ attributes: { "url.query": { value: "a=secret", type: "string" }, "url.query.x": 1 } }),
  ).toEqual({
    attributes: { "url.query": { value: "a=[Filtered]", type: "string" }, "url.query.x": 1 },
  });
});

test("no parameter's value survives, whatever the event looks like", () => {
  const random = seededRandom(42);
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)] as Item;
  const names = ["url", "to", "from", "data", "message", "value", "tags", "url.query", "request"];
  const words = ["a", "ü", "%20", "[0]", "x.y", "~", "-", "+"];
  function url(): string {
    const secret = `SECRET${pick(words)}${pick(["'", "(", ";", ":", "?", "/", "", "|"])}SECRET`;
    const start = pick(["", "/", "https://example.com/p", "see https://example.com/p "]);
    return `${start}${pick(["?", "#", "?k=SECRET&", "?k&"])}${pick(words)}=${secret}`;
  }
  function tree(depth: number): unknown {
    if (depth === 0 || random() < 0.3) return url();
    const children = Array.from({ length: 3 }, () => tree(depth - 1));
    if (random() < 0.4) return children;
    return Object.fromEntries(children.map((child) => [pick(names), child]));
  }
  for (let run = 0; run < 2000; run++) {
    const cleaned = JSON.stringify(scrubEvent({ extra: tree(4), request: { url: url() } }));
    expect(cleaned).not.toContain("SECRET");
  }
});

test.each([
  "a",
  "?a",
  "?a=",
  "?a=<",
  "&a=b<",
  "=",
  "&",
  "a=",
  "?#=",
  "a://",
  "aa://b",
  "a.b:c",
  "aa://b@",
  "b@",
  "x.y-z+",
])("128 kB of %s are scrubbed in time that grows with its length", (part) => {
  const text = part.repeat(2 ** 17 / part.length);
  for (const words of [text, `?a=${text}`, `aa://${text}`, `${text}=@ `]) {
    const before = process.cpuUsage();
    scrubText(words);
    scrubQuery(words);
    // It takes a tenth of that at most. Quadratic, it took 20 s.
    expect(process.cpuUsage(before).user).toBeLessThan(1_000_000);
  }
});
