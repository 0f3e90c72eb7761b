import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { categorySet } from "@/lib/envelope/categories";
import { prepareSchema } from "@/lib/outbox/sqlite/schema";
import { VictimSearch } from "@/lib/outbox/sqlite/victim-search";
import { generousBounds } from "@/tests/support/outboxes";

const errors = categorySet(["error"]);
const spans = categorySet(["span"]);
/** So large that nobody here fills it, and that shares are not found out anew by themselves. */
const bounds = { ...generousBounds, whenFull: "drop-oldest" as const };
const [visitor, other] = [10, 11];

/** A search over reports that are written beside it. */
function open() {
  const db = new Database(":memory:");
  onTestFinished(() => void db.close());
  prepareSchema(db);
  const insert = db.prepare<[number, number, Uint8Array]>(
    `INSERT INTO reports (received_at, origin, categories, sender, envelope)
     VALUES (1, 'browser', ?, ?, ?)`,
  );
  const add = (categories: number): number =>
    Number(insert.run(categories, visitor, Buffer.alloc(100)).lastInsertRowid);
  const remove = (id = 0) => db.prepare("DELETE FROM reports WHERE id = ?").run(id);
  const victims = new VictimSearch(db, bounds);
  const find = (categories = errors) =>
    victims.find({ categories, sender: other, envelope: Buffer.alloc(100) }, "bytes");
  return { db, add, remove, victims, find };
}

test("each victim is the oldest that is left, until there is none", () => {
  const { add, remove, find } = open();
  const ids = Array.from({ length: 20 }, () => add(spans));
  for (const id of ids) {
    expect(find(spans)).toBe(id);
    // One that stays is found again.
    expect(find(spans)).toBe(id);
    remove(id);
  }
  expect(find(spans)).toBeUndefined();
});

test("a report that comes after a search without a victim is found by the next", () => {
  const { add, remove, find } = open();
  for (let n = 0; n < 20; n++) add(errors);
  expect(find(spans)).toBeUndefined();
  const late = add(spans);
  expect(find(spans)).toBe(late);
  remove(late);
  expect(find(spans)).toBeUndefined();
  const last = add(spans);
  expect(find(spans)).toBe(last);
});

test("what was looked at in vain is not looked at again, until shares are found out anew", () => {
  const { db, add, find, victims } = open();
  const ids = Array.from({ length: 20 }, () => add(errors));
  expect(find(spans)).toBeUndefined();
  const changed = ids[10];
  db.prepare("UPDATE reports SET categories = ? WHERE id = ?").run(spans, changed);
  expect(find(spans)).toBeUndefined();
  victims.forget();
  expect(find(spans)).toBe(changed);
});

test("what was found for one kind of report moves no other search", () => {
  const { add, remove, find } = open();
  const error = add(errors);
  const span = add(spans);
  expect(find()).toBe(span);
  remove(span);
  expect(find()).toBe(error);
  remove(error);
  expect(find()).toBeUndefined();
});

test("what was evicted in a transaction that is undone is found again", () => {
  const { db, add, remove, find, victims } = open();
  const ids = Array.from({ length: 5 }, () => add(spans));
  db.exec("BEGIN");
  for (const id of ids) {
    expect(find(spans)).toBe(id);
    remove(id);
  }
  expect(find(spans)).toBeUndefined();
  db.exec("ROLLBACK");
  victims.forget();
  expect(find(spans)).toBe(ids[0]);
});
