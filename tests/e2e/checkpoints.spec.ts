import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "../support/app";

test("the built app carries its outbox's log over in a thread of its own", {
  tag: "@shell",
}, async ({ launch }) => {
  const app = await launch();
  const mebibyte = Buffer.alloc(1024 * 1024, "x").toString();
  for (let sent = 0; sent < 9; sent++) {
    const body = `{}\n{"type":"attachment"}\n${mebibyte}`;
    const answer = await fetch(app.url("/api/relay"), { method: "POST", body });
    expect(answer.status).toBe(200);
  }
  const db = new Database(join(app.dataDir, "outbox.db"), { readonly: true });
  try {
    const note = db.prepare("SELECT value FROM notes WHERE name = 'checkpoint'").pluck();
    await expect.poll(() => note.get()).toBe("");
  } finally {
    db.close();
  }
  expect(app.output()).not.toContain("outbox not checkpointed");
});
