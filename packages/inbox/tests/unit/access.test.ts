import { randomBytes, scryptSync } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  afterAll,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
  vi,
} from "vitest";
import { Access, cookieHeader, cookieValue } from "@/packages/inbox/src/access";
import { clientReader } from "@/packages/relay/src/http/client-address";
import { OutboxError } from "@/packages/relay/src/outbox/driver";
import { relay } from "@/packages/sentry/src/server/relay";
import { listen } from "@/tests/support/listening";
import { testCertificate, testKey } from "@/tests/support/outgoing-proxy";

const secret = randomBytes(32);

describe("the cookie", () => {
  test("holds nothing of the token, and differs by token and by store", () => {
    const value = cookieValue("word", secret);
    expect(value).toMatch(/^[\w-]{43}$/);
    expect(value).not.toContain("word");
    expect(cookieValue("words", secret)).not.toBe(value);
    expect(cookieValue("word", randomBytes(32))).not.toBe(value);
    expect(cookieValue("word", secret)).toBe(value);
  });

  test("is for the inbox alone, and for https alone where the request came over it", () => {
    expect(cookieHeader("word", "/reports", false)).toBe(
      "signpost-inbox=word; Path=/reports; HttpOnly; SameSite=Lax",
    );
    expect(cookieHeader("word", "/shell/reports", true)).toBe(
      "signpost-inbox=word; Path=/shell/reports; HttpOnly; SameSite=Lax; Secure",
    );
  });
});

const folder = mkdtempSync(join(tmpdir(), "signpost-"));

beforeAll(() => {
  vi.stubEnv("DATA_DIR", folder);
});

afterAll(async () => {
  await relay().outbox.close();
  rmSync(folder, { recursive: true, force: true });
  vi.unstubAllEnvs();
});

/** The cookie of who has this token. */
async function cookieOf(token: string): Promise<string> {
  return cookieValue(token, await relay().outbox.secret.read());
}

function accessBy(token: string): Access {
  const secret = () => relay().outbox.secret.read();
  return new Access({ token, path: "/reports", clientOf: clientReader([]), secret });
}

/** A server that answers with what was decided. */
async function startServer(token: string): Promise<string> {
  const access = accessBy(token);
  const server = createServer(async (request, response) => {
    const url = request.url ?? "";
    response.end(JSON.stringify(await access.check({ request, response, url })));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function withCookie(value: string): RequestInit {
  return { headers: { cookie: `other=1; signpost-inbox=${value}; signpost-inbox=later` } };
}

test("the right token opens the inbox, however many wrong ones its address has tried", async () => {
  const url = await startServer("right");
  for (let i = 0; i < 25; i += 1) {
    const answer = await fetch(`${url}/reports?token=wrong${i}`);
    expect(await answer.json()).toBe("denied");
    expect(answer.headers.get("set-cookie")).toBeNull();
  }
  const answer = await fetch(`${url}/reports?token=right`);
  expect(await answer.json()).toEqual({ redirectTo: "/reports" });
  expect(answer.headers.get("set-cookie")).toContain(await cookieOf("right"));
});

test("what only resembles the token opens nothing", async () => {
  const url = await startServer("right");
  for (const token of ["", "righ", "rights", "Right", "r\u00efght"]) {
    const answer = await fetch(`${url}/reports?token=${encodeURIComponent(token)}`);
    expect(await answer.json()).toBe("denied");
  }
});

test("over https the cookie is for https alone, with a proxy before the server and without", async () => {
  const access = accessBy("right");
  const server = https.createServer(
    { key: testKey, cert: testCertificate },
    async (request, response) => {
      await access.check({ request, response, url: request.url ?? "" });
      response.end();
    },
  );
  const { port } = await listen(server);
  const asked = https.get({
    host: "127.0.0.1",
    port,
    path: "/reports?token=right",
    rejectUnauthorized: false,
  });
  const [direct] = (await once(asked, "response")) as [IncomingMessage];
  direct.resume();
  expect(direct.headers["set-cookie"]?.[0]).toMatch(/; Secure$/);
  const url = `${await startServer("right")}/reports?token=right`;
  const cookieBy = async (headers: Record<string, string>) =>
    (await fetch(url, { headers })).headers.get("set-cookie");
  expect(await cookieBy({ "x-forwarded-proto": "https, http" })).toMatch(/; Secure$/);
  expect(await cookieBy({})).not.toContain("Secure");
});

test("the rest of the query survives the redirect, and a token given twice is none", async () => {
  const url = await startServer("right");
  const once = await fetch(`${url}/reports?view=a?b&token=right&page=2`);
  expect(await once.json()).toEqual({ redirectTo: "/reports?view=a%3Fb&page=2" });
  const twice = await fetch(`${url}/reports?token=right&token=right`);
  expect(await twice.json()).toBe("denied");
});

test("the cookie opens the inbox, a wrong one or none doesn't, and no cache keeps the answer", async () => {
  const url = await startServer("right");
  const granted = await fetch(`${url}/reports`, withCookie(await cookieOf("right")));
  expect(await granted.json()).toBe("granted");
  expect(granted.headers.get("cache-control")).toBe("private, no-store");
  expect(granted.headers.get("x-robots-tag")).toBe("noindex");
  for (const init of [{}, withCookie("right"), withCookie(await cookieOf("wrong"))]) {
    expect(await (await fetch(`${url}/reports`, init)).json()).toBe("denied");
  }
});

test("a cookie that anybody can work out from a guessed token opens nothing", async () => {
  const url = await startServer("right");
  const worked = scryptSync("right", "signpost inbox", 32).toString("base64url");
  const answer = await fetch(`${url}/reports`, withCookie(worked));
  expect(await answer.json()).toBe("denied");
});

test("the cookie opens nothing, and fails nothing, as long as the store can't be read", async () => {
  const url = await startServer("right");
  const cookie = await cookieOf("right");
  onTestFinished(() => {
    vi.restoreAllMocks();
  });
  const away = new OutboxError("busy", "The database is away.");
  vi.spyOn(relay().outbox.secret, "read").mockRejectedValue(away);
  expect(await (await fetch(`${url}/reports`, withCookie(cookie))).json()).toBe("denied");
  vi.restoreAllMocks();
  expect(await (await fetch(`${url}/reports`, withCookie(cookie))).json()).toBe("granted");
});

describe("tries of a token", () => {
  let access: Access;

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
    access = accessBy("right");
  });

  /** Tries as many tokens at once, and counts those that have been allowed so far. */
  function tryAtOnce(address: string, times: number) {
    const outcomes = { allowed: 0, refused: 0 };
    for (let n = 0; n < times; n += 1) {
      void access.mayTryToken(address).then((may) => {
        outcomes[may ? "allowed" : "refused"] += 1;
      });
    }
    return outcomes;
  }

  test("are twenty at once, then ten a second, and none after more than 5 s", async () => {
    const outcomes = tryAtOnce("192.0.2.1", 200);
    await vi.advanceTimersByTimeAsync(0);
    expect(outcomes).toEqual({ allowed: 20, refused: 0 });
    await vi.advanceTimersByTimeAsync(2_010);
    expect(outcomes).toEqual({ allowed: 40, refused: 0 });
    await vi.advanceTimersByTimeAsync(2_010);
    expect(outcomes).toEqual({ allowed: 60, refused: 140 });
  });

  test("of one address let no other wait, nor itself once it has waited", async () => {
    tryAtOnce("192.0.2.3", 20);
    await vi.advanceTimersByTimeAsync(2_010);
    const outcomes = [tryAtOnce("192.0.2.3", 20), tryAtOnce("192.0.2.4", 20)];
    await vi.advanceTimersByTimeAsync(0);
    expect(outcomes.map(({ allowed }) => allowed)).toEqual([20, 20]);
  });

  test("that are refused don't make a later one wait longer", async () => {
    tryAtOnce("192.0.2.5", 200);
    await vi.advanceTimersByTimeAsync(1_500);
    const later = tryAtOnce("192.0.2.5", 1);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(later).toEqual({ allowed: 1, refused: 0 });
  });

  test("are 25 at once from an IPv6 /48, whatever it has; and many addresses shut out no other", async () => {
    const oneNetwork = Array.from({ length: 60 }, (_, n) => tryAtOnce(`2001:db8:1:${n}::1`, 10));
    await vi.advanceTimersByTimeAsync(0);
    const allowed = (tried: { allowed: number }[]) =>
      tried.reduce((sum, one) => sum + one.allowed, 0);
    expect(allowed(oneNetwork)).toBe(25);
    for (let n = 0; n < 60; n++) tryAtOnce(`192.0.2.${n}`, 200);
    const operator = tryAtOnce("198.51.100.1", 1);
    await vi.advanceTimersByTimeAsync(0);
    expect(operator).toEqual({ allowed: 1, refused: 0 });
  });
});
