import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "../support/app";

test("the built app's outbox keeps its log short while it writes without a pause", {
  tag: ["@only-shell", "@verify"],
}, async ({ launch }) => {
  const app = await launch({ RELAY_RATE: "100000" });
  const envelope = `{}\n{"type":"attachment"}\n${"x".repeat(1024 * 1024)}`;
  let largest = 0;
  for (let sent = 0; sent < 40; sent++) {
    const answer = await fetch(app.url("/api/relay"), { method: "POST", body: envelope });
    expect(answer.status).toBe(200);
    largest = Math.max(largest, statSync(join(app.dataDir, "outbox.db-wal")).size);
  }
  // SQLite begins its log anew after about 4 MiB, at the end of a group.
  expect(largest).toBeGreaterThan(0);
  expect(largest).toBeLessThan(20 * 1024 * 1024);
});
