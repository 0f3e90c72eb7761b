import { expect, it } from "vitest";
import {
  clientLimits,
  headerLine,
  readEnvelope,
  withoutAddresses,
} from "@/packages/relay/src/envelope/envelope";
import { mutatedEnvelopes } from "@/tests/support/mutated-envelopes";
import { envelopeOf } from "@/tests/support/sdk-envelopes";

const count = 10_000;

it("gives a fault or an envelope for any bytes, and never throws", () => {
  let accepted = 0;
  const details = new Set<string>();
  for (const bytes of mutatedEnvelopes(count, 1)) {
    const read = readEnvelope(bytes, clientLimits);
    if ("fault" in read) details.add(read.detail);
    else accepted++;
  }
  for (const detail of details) expect(detail).toMatch(/^The .*\.$/);
  // Both ways must have been tried many times over.
  expect(accepted).toBeGreaterThan(count / 10);
  expect(accepted).toBeLessThan((count * 9) / 10);
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});

it("finds the same in an envelope that it took, written anew", () => {
  for (const bytes of mutatedEnvelopes(count, 2)) {
    const read = readEnvelope(bytes, clientLimits);
    if ("fault" in read) continue;
    const items = read.items.map(
      (item) => [item.header, item.payload] as [Record<string, unknown>, Uint8Array],
    );
    const again = readEnvelope(envelopeOf(read.header, ...items), clientLimits);
    if ("fault" in again) throw new Error(`${again.detail} ${JSON.stringify(bytes.toString())}`);
    expect(again.header).toEqual(read.header);
    expect(again.categories).toBe(read.categories);
    expect(again.items.map((item) => item.type)).toEqual(read.items.map((item) => item.type));
    expect(again.items.map((item) => Buffer.from(item.payload))).toEqual(
      read.items.map((item) => Buffer.from(item.payload)),
    );
  }
});

it("keeps every byte after the header when the header is written anew", () => {
  for (const bytes of mutatedEnvelopes(count / 4, 3)) {
    const read = readEnvelope(bytes, clientLimits);
    if ("fault" in read) continue;
    const line = headerLine(withoutAddresses(read.header));
    const again = readEnvelope(Buffer.concat([line, read.body]), clientLimits);
    if ("fault" in again) throw new Error(again.detail);
    expect(Buffer.from(again.body).equals(Buffer.from(read.body))).toBe(true);
    expect(again.items).toHaveLength(read.items.length);
  }
});
