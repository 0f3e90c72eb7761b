import { type AddressInfo, createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { eventId } from "../support/sdk-envelopes";
import { nested } from "./attacks";
import { expectUnharmed, inParallel, startTarget, type Target } from "./target";

/* What takes far more memory or time than it has bytes, from clients that no proxy stands before. */

const pages = ["/server", "/static", "/api/health/live"];
const clients = 20;
/** Of a client that sends what does not come to its end. */
const connections = 50;
const attackMs = 60_000;
/** After which a client gives up what does not come to its end, and begins anew. */
const idleMs = 5_000;

function post(body: string, path = "/api/relay", type = "text/plain"): Buffer {
  const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\n`;
  return Buffer.from(`${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

function postChunks(chunks: number, path: string): Buffer {
  const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`;
  const body = `${"1\r\nx\r\n".repeat(chunks)}0\r\n\r\n`;
  return Buffer.from(`${head}Transfer-Encoding: chunked\r\n\r\n${body}`);
}

/** An envelope of as many items as there may be, the header of each as long as it may be. */
function longHeaders(part: string): string {
  const start = '{"type":"a","z":[';
  const parts = part.repeat((16_000 - start.length) / part.length);
  return `{}\n${`${start}${parts}0]}\n\n`.repeat(99)}`;
}

const manyHeaders = Array.from({ length: 950 }, (_, n) => `${n.toString(36)}: 1\r\n`).join("");
const manyNames = Array.from({ length: 7_400 }, () => `"${eventId().slice(0, 8)}":1`).join(",");

/** None of these is a report or a page. What is new each time is none of its faults. */
const attacks: readonly [name: string, bytes: Buffer][] = [
  ["an envelope in chunks of one byte", postChunks(1_500_000, "/api/relay")],
  ["a form in chunks of one byte", postChunks(60_000, "/api/feedback")],
  ["a page that waits, in chunks of one byte", postChunks(1_000_000, "/slow?ms=3000")],
  ["a page that is answered, in chunks of one byte", postChunks(1_000_000, "/nowhere")],
  ["a hundred thousand items", post(`{}\n${'{"type":"a"}\n\n'.repeat(100_000)}`)],
  ["header lines of small objects", post(longHeaders("{},"))],
  ["header lines of nested arrays", post(`{"a":${nested(8_000)}}\n{"type":"a"}\n\n`)],
  ["seven thousand names", post(`{"minimal":"a"}\n{"type":"event"}\n{"extra":{${manyNames}}}`)],
  [
    "pages with many headers",
    Buffer.from(`GET /slow?ms=3000 HTTP/1.1\r\nHost: localhost\r\n${manyHeaders}\r\n`.repeat(8)),
  ],
  // They never come to their end.
  [
    "slow bodies",
    Buffer.from(`POST /api/relay HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n{}\n`),
  ],
  ["slow heads", Buffer.from(`GET / HTTP/1.1\r\nHost: a\r\n${manyHeaders.slice(0, 1_500)}`)],
];

/** The addresses of this machine that every Linux has; elsewhere all clients are one. */
function ownAddress(n: number): string | undefined {
  return process.platform === "linux" ? `127.0.1.${1 + n}` : undefined;
}

/** Opens pages, one after the other, for as long as it is said to. */
async function visit(target: Target, isOver: () => boolean): Promise<Record<number, number>> {
  const statuses: Record<number, number> = {};
  while (!isOver()) {
    for (const path of pages) {
      const { status } = await target.ask({ path });
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  }
  return statuses;
}

test("twenty clients at once end no server, hold up no page, and leave no memory taken", async () => {
  const target = await startTarget({ TRUSTED_PROXIES: "", RELAY_RATE: "1000000" });
  for (const path of pages) await target.ask({ path });
  const before = await target.usage();
  const end = performance.now() + attackMs;
  const isOver = () => performance.now() > end;
  const visited = visit(target, isOver);
  const answers = new Set<string>();
  await inParallel(
    Array(clients).keys(),
    async (client) => {
      // All begin with the one of which a single body was once enough.
      for (let round = 0; !isOver(); round += 1) {
        const next = round === 0 ? 0 : (client + round) % attacks.length;
        const [name, bytes] = attacks[next] ?? ["", Buffer.of()];
        const isSlow = name.startsWith("slow ");
        const over = { localAddress: ownAddress(client), ...(isSlow && { idleMs }) };
        await inParallel(
          Array(isSlow ? connections : 1).keys(),
          async () => {
            const answer = await target.send(bytes, over);
            answers.add(`${name}: ${answer.split(" ", 2)[1] ?? "closed"}`);
          },
          connections,
        );
      }
    },
    clients,
  );
  const statuses = await visited;
  expect(await Promise.race([target.app.exited, "alive"]), target.app.output()).toBe("alive");
  expect(Object.keys(statuses)).toEqual(["200"]);
  // Nothing of it is stored, and nothing is a fault of the server's.
  expect([...answers].filter((answer) => / (2|500)/.test(answer))).toEqual([]);
  const { text } = await target.ask({ path: "/api/health/ready?reporting" });
  expect(JSON.parse(text)).toMatchObject({ reportsWaiting: 0, reportsSetAside: 0 });
  await expect.poll(async () => (await target.usage()).heldMb).toBeLessThan(1.2 * before.heldMb);
  await expectUnharmed(target);
});

test("the settings that browsers ask for keep no chunk of a body while the store does not answer", async () => {
  const silent = createServer(() => {});
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void silent.close());
  const { port } = silent.address() as AddressInfo;
  const target = await startTarget({ DATABASE_URL: `postgres://a:b@127.0.0.1:${port}/a` });
  // Of another build, which the store may know.
  const head = "GET /api/relay/settings?build=other HTTP/1.1\r\nHost: a\r\n";
  const bytes = `${head}Transfer-Encoding: chunked\r\n\r\n${"1\r\nx\r\n".repeat(60_000)}`;
  await inParallel(Array(50).keys(), () => target.send(bytes, { idleMs }), 50);
  expect(await Promise.race([target.app.exited, "alive"]), target.app.output()).toBe("alive");
  expect((await target.ask({ path: "/static" })).status).toBe(200);
});
