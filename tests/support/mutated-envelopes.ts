import { envelopeOf } from "./sdk-envelopes";
import { seededRandom } from "./seeded-random";

/** Envelopes that SDKs write, as seeds to mutate. */
const seeds: Buffer[] = [
  envelopeOf({ event_id: "1", sent_at: "2026-01-01T00:00:00Z" }, [{ type: "event" }, '{"a":1}']),
  Buffer.from('{}\n{"type":"session"}\n{"sid":"1"}\n{"type":"attachment","length":0}\n\n'),
  Buffer.from('{"trace":{"public_key":"x"}}\n{"type":"span","item_count":2}\n{"items":[{},{}]}'),
  envelopeOf(
    { dsn: "https://a@b.example/1" },
    [{ type: "attachment", filename: "a\nb" }, Buffer.from([0, 10, 255, 10, 13, 0])],
    [{ type: "event" }, "{}"],
    [{ type: "tomorrow" }, "\n\n\n"],
  ),
];

/** What hurts parsers, put in at any place. */
const morsels = [
  "\n",
  "\n\n",
  "\r\n",
  "\0",
  "{}",
  "{",
  "}",
  '"',
  "\\u0000",
  "\\ud800",
  '"length":0,',
  '"length":99999999999999999999,',
  '"length":-1,',
  '"length":1e2,',
  '"type":"event",',
  '"__proto__":{"polluted":true},',
  '{"type":"event","length":1}\n',
  "[".repeat(200),
  "\u2028",
  "é",
].map((text) => Buffer.from(text));

/** So many mutated envelopes, the same in every run with one seed. */
export function* mutatedEnvelopes(
  count: number,
  seed: number,
  whole: readonly Buffer[] = seeds,
): Generator<Buffer> {
  const random = seededRandom(seed);
  const below = (n: number) => Math.floor(random() * n);
  for (let i = 0; i < count; i++) {
    let bytes: Buffer = Buffer.from(whole[below(whole.length)] ?? []);
    for (let times = 1 + below(4); times > 0; times--) bytes = mutate(bytes, below);
    yield bytes;
  }
}

function mutate(bytes: Buffer, below: (n: number) => number): Buffer {
  const at = below(bytes.length + 1);
  const to = Math.min(bytes.length, at + 1 + below(12));
  const [front, back] = [bytes.subarray(0, at), bytes.subarray(at)];
  switch (below(6)) {
    case 0:
      return Buffer.concat([front, morsels[below(morsels.length)] ?? front, back]);
    case 1:
      return Buffer.from(front);
    case 2:
      return Buffer.concat([front, bytes.subarray(to)]);
    case 3:
      return Buffer.concat([bytes.subarray(0, to), back]);
    case 4:
      return Buffer.concat([bytes, back]);
    default: {
      const flipped = Buffer.from(bytes);
      if (at < flipped.length) flipped[at] = below(256);
      return flipped;
    }
  }
}
