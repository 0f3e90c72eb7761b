import { createServer } from "node:http";
import { describe, expect, it } from "vitest";
import { startDispatcher } from "@/tests/support/dispatchers";
import { listen } from "@/tests/support/listening";
import { dropsIn, statsOf } from "@/tests/support/outboxes";
import { serviceHost, startOutgoingProxy, startTls } from "@/tests/support/outgoing-proxy";
import { errorEnvelope } from "@/tests/support/sdk-envelopes";
import { type Service, startService } from "@/tests/support/service";

const portOf = ({ url }: Service) => Number(new URL(url).port);

describe("where an HTTP proxy is the way out", () => {
  it.each(["HTTPS_PROXY", "https_proxy"])(
    "a service with TLS is reached by a tunnel: %s",
    async (name) => {
      const service = await startService();
      const proxy = await startOutgoingProxy(await startTls(portOf(service)));
      const { outbox } = await startDispatcher({
        service,
        dsn: `https://key@${serviceHost}/42`,
        proxies: { [name]: proxy.url },
      });
      for (let n = 1; n <= 2; n++) {
        await outbox.append(errorEnvelope(), "browser");
        await service.waitFor((s) => s.envelopes.length === n);
        await expect.poll(() => statsOf(outbox)).toMatchObject({ waiting: 0 });
      }
      // Its connection is kept, too.
      expect(proxy.asked).toEqual([`CONNECT ${serviceHost}:443`]);
    },
  );

  it.each(["HTTP_PROXY", "http_proxy"])(
    "one without TLS is asked for by its whole URL: %s",
    async (name) => {
      const service = await startService();
      const proxy = await startOutgoingProxy(portOf(service));
      const { outbox } = await startDispatcher({
        service,
        dsn: `http://key@${serviceHost}:9000/42`,
        proxies: { [name]: proxy.url },
      });
      await outbox.append(errorEnvelope(), "browser");
      const { path } = await service.waitFor((s) => s.envelopes[0]);
      expect(path).toBe("/api/42/envelope/");
      expect(proxy.asked).toEqual([`POST http://${serviceHost}:9000/api/42/envelope/`]);
    },
  );

  it.each([
    `elsewhere.test, ${serviceHost}`,
    `${serviceHost}:80`,
    ".test",
    "test",
    "*.test",
    "*",
    "SENTRY.TEST",
  ])("NO_PROXY names who is reached without it: %s", async (NO_PROXY) => {
    const service = await startService();
    const proxy = await startOutgoingProxy(portOf(service));
    const { outbox, lines } = await startDispatcher({
      service,
      dsn: `http://key@${serviceHost}/42`,
      proxies: { HTTP_PROXY: proxy.url, NO_PROXY },
    });
    await outbox.append(errorEnvelope(), "browser");
    await expect.poll(() => lines).toHaveLength(1);
    // Nobody but the proxy knows the name.
    expect(lines[0]?.fields.cause).toContain("getaddrinfo");
    expect(proxy.asked).toEqual([]);
  });

  it.each([`${serviceHost}:443`, "entry.test", "10.0.0.0/8"])(
    "and nobody else: %s",
    async (NO_PROXY) => {
      const service = await startService();
      const proxy = await startOutgoingProxy(portOf(service));
      const { outbox } = await startDispatcher({
        service,
        dsn: `http://key@${serviceHost}/42`,
        proxies: { HTTP_PROXY: proxy.url, NO_PROXY },
      });
      await outbox.append(errorEnvelope(), "browser");
      await service.waitFor((s) => s.envelopes[0]);
      expect(proxy.asked).toHaveLength(1);
    },
  );

  it.each(["http", "https"])("is given its password, and no service is: %s", async (scheme) => {
    const service = await startService();
    const to = scheme === "https" ? await startTls(portOf(service)) : portOf(service);
    const proxy = await startOutgoingProxy(to);
    const address = new URL(proxy.url).host;
    const { outbox } = await startDispatcher({
      service,
      dsn: `${scheme}://key@${serviceHost}/42`,
      proxies: { HTTP_PROXY: `me:secret@${address}`, HTTPS_PROXY: `me:secret@${address}` },
    });
    await outbox.append(errorEnvelope(), "browser");
    const { requestHeaders } = await service.waitFor((s) => s.envelopes[0]);
    expect(proxy.authorizations).toEqual([`Basic ${Buffer.from("me:secret").toString("base64")}`]);
    expect(requestHeaders["proxy-authorization"]).toBeUndefined();
  });

  it("one that can't be used lets reports wait, and is told once as an error, and in ready", async () => {
    const { outbox, lines, refusal, hurry, manyPolls, service } = await startDispatcher({
      dsn: `https://key@${serviceHost}/42`,
      proxies: { HTTPS_PROXY: "socks5://proxy.test" },
    });
    const reason = expect.stringContaining("HTTPS_PROXY is not the address of an HTTP proxy");
    expect(refusal()).toEqual({ status: null, reason });
    await outbox.append(errorEnvelope(), "browser");
    hurry();
    await manyPolls();
    expect(lines).toEqual([
      {
        level: "error",
        event: "service can't be reached",
        fields: { variable: "HTTPS_PROXY", reason },
      },
    ]);
    expect(await statsOf(outbox)).toMatchObject({ highWaiting: 1 });
    expect(service.attempts).toEqual([]);
  });

  it("one that never answers to CONNECT is given up after the limit to connect", async () => {
    const silent = await listen(createServer().on("connect", () => {}));
    const { outbox, lines } = await startDispatcher({
      dsn: `https://key@${serviceHost}/42`,
      proxies: { HTTPS_PROXY: silent.origin },
      times: { connectMs: 50 },
    });
    await outbox.append(errorEnvelope(), "browser");
    await expect.poll(() => lines).toHaveLength(1);
    expect(lines[0]?.fields.cause).toBe("Error: The connection took too long.");
  });

  it("all steps of connecting by it have one limit together", async () => {
    // It answers to CONNECT late, and then the service says nothing.
    const late = createServer().on("connect", (_, socket) => {
      setTimeout(() => socket.write("HTTP/1.1 200 OK\r\n\r\n"), 2700);
    });
    const { origin } = await listen(late);
    const { outbox, lines } = await startDispatcher({
      dsn: `https://key@${serviceHost}/42`,
      proxies: { HTTPS_PROXY: origin },
      times: { connectMs: 3000, stallMs: 60_000 },
    });
    await outbox.append(errorEnvelope(), "browser");
    await expect.poll(() => lines, { timeout: 5500 }).toHaveLength(1);
    expect(lines[0]?.fields.cause).toBe("Error: The connection took too long.");
  });

  it.each(["localhost", "127.0.0.1"])(
    "a service on this machine is reached without it: %s",
    async (host) => {
      const service = await startService();
      const proxy = await startOutgoingProxy(portOf(service));
      const { outbox } = await startDispatcher({
        service,
        dsn: `http://key@${host}:${portOf(service)}/42`,
        proxies: { HTTP_PROXY: proxy.url },
      });
      await outbox.append(errorEnvelope(), "browser");
      await service.waitFor((s) => s.envelopes[0]);
      expect(proxy.asked).toEqual([]);
    },
  );

  it.each([
    [407, "http"],
    [403, "http"],
    [407, "https"],
    [502, "https"],
  ])("a proxy that answers %i to %s lets reports wait, and is told", async (status, scheme) => {
    const service = await startService();
    const to = scheme === "https" ? await startTls(portOf(service)) : portOf(service);
    const proxy = await startOutgoingProxy(to);
    proxy.answer(status);
    const { outbox, lines, hurry } = await startDispatcher({
      service,
      dsn: `${scheme}://key@${serviceHost}/42`,
      proxies: { HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url },
    });
    await outbox.append(errorEnvelope(), "browser");
    await expect.poll(() => lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ level: "warn", event: "service takes no reports" });
    expect(lines[0]?.fields.cause).toContain(String(status));
    proxy.answer(0);
    hurry();
    await service.waitFor((s) => s.envelopes[0]);
    expect(await dropsIn(outbox)).toEqual([]);
  });

  it("a proxy that is away lets reports wait, and is told", async () => {
    const service = await startService();
    const closed = await startService();
    await closed.close();
    const { outbox, lines } = await startDispatcher({
      service,
      dsn: `http://key@${serviceHost}/42`,
      proxies: { HTTP_PROXY: closed.url },
    });
    await outbox.append(errorEnvelope(), "browser");
    await expect.poll(() => lines).toHaveLength(1);
    expect(lines[0]?.fields.cause).toContain("ECONNREFUSED");
    expect(await statsOf(outbox)).toMatchObject({ highWaiting: 1 });
    expect(service.attempts).toEqual([]);
  });
});
