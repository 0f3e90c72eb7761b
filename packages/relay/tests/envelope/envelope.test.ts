import { describe, expect, it } from "vitest";
import { clientLimits, type Envelope, readEnvelope } from "@/packages/relay/src/envelope/envelope";

function read(text: string | Uint8Array) {
  return readEnvelope(Buffer.from(text), clientLimits);
}

function accepted(text: string | Uint8Array): Envelope {
  const envelope = read(text);
  if ("fault" in envelope) throw new Error(envelope.detail);
  return envelope;
}

function payloads(text: string | Uint8Array): string[] {
  return accepted(text).items.map((item) => Buffer.from(item.payload).toString());
}

describe("reading an envelope", () => {
  it("takes an explicit length, and newlines within it", () => {
    expect(payloads('{}\n{"type":"attachment","length":5}\na\nb\nc\n')).toEqual(["a\nb\nc"]);
  });

  it("takes an implicit length up to the newline or the end", () => {
    const two = '{}\n{"type":"event"}\n{"a":1}\n{"type":"session"}\n{"b":2}';
    expect(payloads(two)).toEqual(['{"a":1}', '{"b":2}']);
    expect(payloads(`${two}\n`)).toEqual(['{"a":1}', '{"b":2}']);
  });

  it("takes a length of null for none", () => {
    expect(payloads('{}\n{"type":"event","length":null}\nabc\n')).toEqual(["abc"]);
  });

  it("takes empty payloads, explicit and implicit, in the middle and at the end", () => {
    const explicit = '{"type":"attachment","length":0}';
    const implicit = '{"type":"attachment"}';
    expect(payloads(`{}\n${explicit}\n\n${explicit}\n`)).toEqual(["", ""]);
    expect(payloads(`{}\n${implicit}\n\n${implicit}\n\n`)).toEqual(["", ""]);
    expect(payloads(`{}\n${explicit}`)).toEqual([""]);
    expect(payloads(`{}\n${implicit}`)).toEqual([""]);
  });

  it("takes any number of newlines at the end", () => {
    expect(payloads('{}\n{"type":"event","length":2}\n{}\n\n\n\n')).toEqual(["{}"]);
    expect(payloads('{}\n{"type":"attachment","length":2}\n\n\n')).toEqual(["\n\n"]);
  });

  it("takes item types it doesn't know, and bytes that are no text", () => {
    const bytes = Buffer.from([0, 10, 255, 254, 10, 0]);
    const head = Buffer.from('{}\n{"type":"tomorrow","length":6}\n');
    const [item] = accepted(Buffer.concat([head, bytes])).items;
    expect(item?.type).toBe("tomorrow");
    expect(Buffer.from(item?.payload ?? []).equals(bytes)).toBe(true);
  });

  it("gives views, not copies", () => {
    const bytes = Buffer.from('{}\n{"type":"event","length":3}\nabc\n');
    const envelope = readEnvelope(bytes);
    if ("fault" in envelope) throw new Error(envelope.detail);
    expect(envelope.items[0]?.payload.buffer).toBe(bytes.buffer);
    expect(Buffer.from(envelope.body).toString()).toBe('{"type":"event","length":3}\nabc\n');
  });

  it.each<[string, string | Uint8Array]>([
    ["nothing", ""],
    ["only newlines", "\n\n\n"],
    ["no items", "{}\n"],
    ["no items after newlines", "{}\n\n\n"],
    ["a header that is no JSON", 'nonsense\n{"type":"event"}\n{}'],
    ["a header that is a list", '[]\n{"type":"event"}\n{}'],
    ["a header that is null", 'null\n{"type":"event"}\n{}'],
    ["an item header that is no JSON", "{}\nnonsense\n{}"],
    ["an empty line for an item header", '{}\n\n{"type":"event"}\n{}'],
    ["an item without a type", '{}\n{"length":2}\n{}'],
    ["a type that is no text", '{}\n{"type":1}\n{}'],
    ["an empty type", '{}\n{"type":""}\n{}'],
    ["a length beyond the end", '{}\n{"type":"event","length":3}\n{}'],
    ["a length that stops short", '{}\n{"type":"event","length":1}\n{}'],
    ["a negative length", '{}\n{"type":"event","length":-1}\n{}'],
    ["a broken length", '{}\n{"type":"event","length":1.5}\n{}'],
    ["a huge length", '{}\n{"type":"event","length":1e300}\n{}'],
    ["a length in words", '{}\n{"type":"event","length":"2"}\n{}'],
    ["a header that is not UTF-8", Buffer.from('{"a":"\xff"}\n{"type":"event"}\n{}', "latin1")],
    ["a NUL in a header", '{"a":"\0"}\n{"type":"event"}\n{}'],
  ])("refuses %s", (_what, text) => {
    expect(read(text)).toMatchObject({ fault: "malformed", detail: expect.stringMatching(/\.$/) });
  });

  it("bounds header lines and the number of items", () => {
    const long = JSON.stringify({ type: "event", note: "x".repeat(16 * 1024) });
    expect(read(`${long}\n{"type":"event"}\n{}`)).toMatchObject({ fault: "too_large" });
    expect(read(`{}\n${long}\n{}`)).toMatchObject({ fault: "too_large" });
    const item = '{"type":"event","length":2}\n{}\n';
    expect(accepted(`{}\n${item.repeat(100)}`).items).toHaveLength(100);
    expect(read(`{}\n${item.repeat(101)}`)).toMatchObject({ fault: "too_large" });
  });

  it("bounds the values of all header lines together", () => {
    const item = (values: number) => `{"type":"event","a":[${"{},".repeat(values)}0]}\n{}\n`;
    expect(accepted(`{}\n${item(400).repeat(2)}`).items).toHaveLength(2);
    expect(read(`{}\n${item(400).repeat(3)}`)).toMatchObject({ fault: "too_large" });
    expect(read(`{"a":[${"0,".repeat(2_000)}0]}\n${item(1)}`)).toMatchObject({
      fault: "too_large",
    });
    // What stands in payloads doesn't count.
    const payload = `[${"0,".repeat(10_000)}0]`;
    expect(accepted(`{}\n{"type":"event"}\n${payload}\n`).items).toHaveLength(1);
  });

  it("bounds how deeply headers are nested, whoever has written them", () => {
    const nested = (depth: number) =>
      `{}\n{"type":"event","a":${"[".repeat(depth)}${"]".repeat(depth)}}\n{}`;
    expect(accepted(nested(31)).items).toHaveLength(1);
    expect(read(nested(32))).toMatchObject({ fault: "too_large" });
    expect(readEnvelope(Buffer.from(nested(500)))).toMatchObject({ fault: "too_large" });
  });

  it("lets no header reach a prototype", () => {
    const { header, items } = accepted(
      '{"__proto__":{"polluted":1}}\n{"type":"event","constructor":{"prototype":{"polluted":1}}}\n{}',
    );
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(Object.getPrototypeOf(header)).toBe(Object.prototype);
    expect(Object.getPrototypeOf(items[0]?.header)).toBe(Object.prototype);
  });
});
