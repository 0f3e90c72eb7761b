import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { categorySet } from "@/packages/relay/src/envelope/categories";
import { type Driver, OutboxError, type Statement } from "@/packages/relay/src/outbox/driver";
import { housekeepingOf, openOutbox, statsOf } from "@/tests/support/outboxes";
import { errorEnvelope, transactionEnvelope } from "@/tests/support/sdk-envelopes";

/** An outbox with so many claimed reports, whose later transactions `watch` sees first. */
async function claimed(count: number, watch: (statements: readonly Statement[]) => void) {
  const { outbox, driver } = openOutbox();
  for (let n = 0; n < count; n++) await outbox.append(errorEnvelope(), "browser");
  const reports = await outbox.claim({ limit: count, without: 0 });
  const { transaction } = driver;
  const watched: Driver["transaction"] = async (statements) => {
    watch(statements);
    return transaction.call(driver, statements);
  };
  Object.assign(driver, { transaction: watched });
  return { outbox, reports };
}

it("one that can't be stored for a fault of the engine's fails no other", async () => {
  let refused: number | undefined;
  const { outbox, reports } = await claimed(3, (statements) => {
    if (statements.some(({ values = [] }) => values.includes(refused ?? null)))
      throw new OutboxError("unwritable", "Too complex.");
  });
  refused = reports[1]?.id;
  const back = await Promise.allSettled(
    reports.map((one) => outbox.acknowledge(one, { kind: "back" })),
  );
  expect(back.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
});

it("says of dropped reports that they could not be counted", async () => {
  const { outbox, file, lines } = openOutbox();
  await outbox.append(transactionEnvelope(), "browser");
  const db = new DatabaseSync(file);
  db.exec(
    `create trigger refused before insert on signpost_drops begin select raise(abort, 'refused'); end`,
  );
  db.close();
  await housekeepingOf(outbox).dropUnwanted(categorySet(["transaction", "span"]));
  expect(await statsOf(outbox)).toMatchObject({ waiting: 0, setAside: 1 });
  const reason = "What was dropped can't be counted.";
  expect(lines).toContainEqual(
    expect.objectContaining({ fields: { reason, cause: expect.any(String) } }),
  );
});
