import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { checkAddress, nextCommand, readAddress } from "@/scripts/listen-address";

test("without PORT and HOST it is port 3000 on all interfaces", () => {
  expect(readAddress({})).toEqual({ port: 3000, host: undefined });
  expect(readAddress({ PORT: "", HOST: "" })).toEqual({ port: 3000, host: undefined });
});

test("PORT and HOST are honoured", () => {
  expect(readAddress({ PORT: "0", HOST: "::1" })).toEqual({ port: 0, host: "::1" });
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

test("Next is given what the command was given, then the address", () => {
  const args = ["--inspect", "-p", "4000"];
  const [node, ...command] = nextCommand("start", args, readAddress({ HOST: "::1" }, args));
  expect(node).toBe(process.execPath);
  expect(command).toEqual(["next", "start", ...args, "-p", "4000", "-H", "::1"]);
  expect(nextCommand("dev", [], { port: 0, host: undefined })).toHaveLength(5);
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

test("a free port passes, and is free again afterwards", async () => {
  await checkAddress({ port: 0, host: "127.0.0.1" });
});

test("an address of another machine is refused by name", async () => {
  await expect(checkAddress({ port: 0, host: "192.0.2.77" })).rejects.toThrow(
    'HOST is "192.0.2.77": not an address of this machine',
  );
});
