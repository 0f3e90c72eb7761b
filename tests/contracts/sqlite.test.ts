import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";

function open(): DatabaseSync {
  const db = new DatabaseSync(":memory:");
  onTestFinished(() => db.close());
  return db;
}

test("bytes are read into a buffer of their own", () => {
  const db = open();
  db.exec("create table reports (envelope blob); insert into reports values (x'010203'), (x'')");
  const rows = db.prepare("select envelope from reports").all() as { envelope: Uint8Array }[];
  expect(
    rows.map(({ envelope }) => envelope.buffer.byteLength),
    "node:sqlite reads bytes into a buffer that others share: packages/relay/src/outbox/sqlite-thread.ts gives the buffer away.",
  ).toEqual([3, 0]);
});

test("a number is bound as a real one, and a BigInt as an integer", () => {
  const row = open().prepare("select typeof(?) as number, typeof(?) as big").get(1, 1n);
  expect(
    row,
    "node:sqlite binds numbers otherwise: packages/relay/src/outbox/sqlite-statements.ts makes integers of them, so that they divide as in Postgres.",
  ).toEqual({ number: "real", big: "integer" });
});
