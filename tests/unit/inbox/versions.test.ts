import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { Filer } from "@/lib/inbox/model/filer";
import { openOutbox } from "@/tests/support/outboxes";
import { errorEnvelope } from "@/tests/support/sdk-envelopes";

test("a file of the version before has the groups of errors that are filed already", async () => {
  const { outbox, file } = openOutbox();
  for (const message of ["a", "b", "a"]) {
    await outbox.append(errorEnvelope(undefined, message), "browser");
  }
  await new Filer(outbox.rows, { release: "1" }).file();
  const groups = async () => {
    const { rows } = openOutbox({ file }).outbox;
    return rows.select({ text: "select * from {error_groups} order by group_id" });
  };
  const before = await groups();
  outbox.close();
  const previous = new Database(file);
  previous.exec(`DROP TABLE error_groups; DROP TABLE error_variants;
    ALTER TABLE errors ADD COLUMN words TEXT NOT NULL DEFAULT '';
    ALTER TABLE errors ADD COLUMN file TEXT;
    PRAGMA user_version = 4`);
  previous.close();
  expect(await groups()).toEqual(before);
  expect(before).toHaveLength(2);
  const reopened = openOutbox({ file }).outbox;
  await reopened.append(errorEnvelope(undefined, "c"), "browser");
  await new Filer(reopened.rows, { release: "1" }).file();
  expect(await groups()).toHaveLength(3);
});
