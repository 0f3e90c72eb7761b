import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { parseDsn } from "@/lib/base/config/dsn";
import { announcement, checkAddress, readAddress } from "@/scripts/serving";

test.each([
  [{}, { port: 3000, host: undefined }],
  [
    { PORT: "", HOST: "" },
    { port: 3000, host: undefined },
  ],
  [
    { PORT: "0", HOST: "::1" },
    { port: 0, host: "::1" },
  ],
])("%j is the address %j", (env, address) => {
  expect(readAddress(env)).toEqual(address);
});

test.each([
  [["-p", "4000", "-H", "::1"]],
  [["--port", "4000", "--hostname", "::1"]],
  [["--port=4000", "--hostname=::1", "--keepAliveTimeout", "5000"]],
])("the command's own options go before them: %j", (args) => {
  expect(readAddress({ PORT: "80", HOST: "127.0.0.1" }, args)).toEqual({ port: 4000, host: "::1" });
});

test("an option for a port that is none is refused", () => {
  expect(() => readAddress({}, ["-p"])).toThrow(/^.*PORT is "true"/s);
  expect(() => readAddress({}, ["-p", "x"])).toThrow(/PORT is "x"/);
});

test.each(["http", "-1", "65536", "3000.5", "0x10", " 80"])("PORT=%s is refused", (PORT) => {
  expect(() => readAddress({ PORT })).toThrow(/PORT is ".*": must be a whole number/);
});

test("a port on which another program listens is refused by name", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void other.close());
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  await expect(checkAddress({ port, host: "127.0.0.1" })).rejects.toThrow(
    `PORT is ${port}: another program listens there`,
  );
});

test("an address of another machine is refused by name", async () => {
  await expect(checkAddress({ port: 0, host: "192.0.2.77" })).rejects.toThrow(
    'HOST is "192.0.2.77": not an address of this machine',
  );
});

test("without a service the inbox is shown with its token, under the base path", () => {
  const text = announcement(
    "http://localhost:3000/shell",
    { dsn: undefined, inboxToken: "a&b" },
    true,
  );
  expect(text).toContain("http://localhost:3000/shell/\n");
  expect(text).toContain("http://localhost:3000/shell/reports?token=a%26b");
});

test("without a service and an inbox it says that reports go nowhere", () => {
  const text = announcement("http://localhost", { dsn: undefined, inboxToken: "a" }, false);
  expect(text).toContain("set SENTRY_DSN");
  expect(text).not.toContain("/reports");
});

test("with a service it says where reports go, and neither token nor key", () => {
  const dsn = parseDsn("https://public@sentry.example.com/42");
  const text = announcement("http://localhost:3000", { dsn, inboxToken: "secret" });
  expect(text).toContain("https://sentry.example.com, project 42");
  expect(text).not.toMatch(/secret|public|\/reports/);
});
