import { describe, expect, test } from "vitest";
import { type Removed, removeAbout } from "@/packages/inbox/src/removal";
import {
  anyError,
  countIn,
  errorOf,
  filerOf,
  found,
  sourcesOf,
  thrownIn,
} from "@/packages/inbox/tests/support/inbox";
import { type Driver, insertAll } from "@/packages/relay/src/outbox/driver";
import type { Outbox } from "@/packages/relay/src/outbox/outbox";
import { envelope, errorEvent, feedbackEvent, someEventId } from "@/tests/support/envelopes";
import { engines } from "@/tests/support/outboxes";

const tables = [
  ...["kept_reports", "errors", "error_groups", "error_variants", "stacks"],
  ...["feedback", "unfiled_items"],
];

/** How many rows there are in each table that holds what people have sent. */
async function rowsIn(outbox: Outbox): Promise<Record<string, number>> {
  const counts = await Promise.all(tables.map((table) => countIn(outbox, table)));
  return Object.fromEntries(tables.map((table, i) => [table, counts[i] ?? 0]));
}

/** Every text in every row that is kept. */
async function everythingIn(driver: Driver): Promise<string> {
  const rows = await Promise.all(
    tables.map((table) => driver.read({ text: `select * from {${table}}` })),
  );
  const texts = rows
    .flat()
    .flatMap((row) => Object.values(row))
    .map((one) => (one instanceof Uint8Array ? Buffer.from(one).toString() : String(one)));
  return texts.join("\n");
}

const none: Removed = { errors: 0, messages: 0, reports: 0 };

describe.each(engines)("removing from an inbox in %s", (_, open) => {
  test("an event takes with it its report, its messages and its words, and leaves the rest of its group", async () => {
    const { outbox, driver } = open();
    const [gone, kept] = [someEventId(), someEventId()];
    const same = { fingerprint: ["same"] };
    await outbox.append(errorOf("of anna@example.org", { event_id: gone, ...same }), "browser");
    await outbox.append(errorOf("of nobody", { event_id: kept, ...same }), "browser");
    await outbox.append(envelope([["feedback", feedbackEvent("It broke.", gone)]]), "browser");
    await filerOf(outbox).file();
    expect(await removeAbout({ kind: "event", id: gone }, driver)).toEqual({
      errors: 1,
      messages: 1,
      reports: 2,
    });
    expect(await everythingIn(driver)).not.toMatch(/anna|broke|ada@/);
    expect(await sourcesOf(outbox).groups.page(anyError)).toMatchObject({
      groups: [{ eventId: kept, message: "of nobody" }],
    });
    expect(await removeAbout({ kind: "event", id: gone }, driver)).toEqual(none);
  });

  test("a group goes whole, however many errors it has, and no other", async () => {
    const { outbox, driver } = open();
    const same = { fingerprint: ["same"] };
    const more = Array.from({ length: 260 }, (_, n) => errorOf(`of ${n}`, same));
    await Promise.all(more.map((one) => outbox.append(one, "browser")));
    await outbox.append(thrownIn("static/a", 1), "browser");
    await filerOf(outbox, { resolve: found }).file();
    const { groups } = await sourcesOf(outbox).groups.page(anyError);
    const id = groups.find((one) => one.count === 260)?.id ?? "";
    expect(await removeAbout({ kind: "group", id }, driver)).toEqual({
      errors: 260,
      messages: 0,
      reports: 260,
    });
    expect(await rowsIn(outbox)).toEqual({
      ...{ kept_reports: 1, errors: 1, error_groups: 1, error_variants: 1, stacks: 1 },
      ...{ feedback: 0, unfiled_items: 0 },
    });
    const left = (await sourcesOf(outbox).groups.page(anyError)).groups[0]?.id ?? "";
    await removeAbout({ kind: "group", id: left }, driver);
    expect(Object.values(await rowsIn(outbox))).toEqual(tables.map(() => 0));
  });

  test("of a user goes whatever names that user, in reports of every kind", async () => {
    const { outbox, driver } = open();
    const user = { id: 77 };
    const value = { value: "77", type: "string" };
    const container = (attributes: object) => ({ items: [{ attributes: {} }, { attributes }] });
    const span = { op: "pageload", trace_id: someEventId(), span_id: "1".repeat(16) };
    const trace = {
      transaction: "/a",
      start_timestamp: 1,
      timestamp: 2,
      contexts: { trace: span },
    };
    const all = (id: typeof user | { id: string }, attribute: typeof value): Uint8Array[] => [
      errorOf("of a person", { user: id }),
      envelope([["transaction", { ...trace, user: id }]]),
      envelope([["feedback", { ...feedbackEvent("Good."), user: id }]]),
      envelope([["replay_event", { event_id: someEventId(), user: id }]]),
      envelope([["log", container({ "user.id": attribute })]]),
      envelope([["span", container({ "user.id": attribute })]]),
      envelope([["span", { ...span, data: { "user.id": attribute.value } }]]),
    ];
    const others = all({ id: "177" }, { value: "770", type: "string" });
    others.push(errorOf("about 77", { user: { id: "7" }, tags: { id: "77" } }));
    for (const one of [...all(user, value), ...others]) await outbox.append(one, "browser");
    await filerOf(outbox).file();
    expect((await rowsIn(outbox)).kept_reports).toBe(7 + others.length);
    const { groups } = await sourcesOf(outbox).groups.page({
      ...anyError,
      filter: { ...anyError.filter, search: "user.id:77" },
    });
    expect(groups).toMatchObject([{ message: "of a person" }]);
    const written = await sourcesOf(outbox).feedback.ofUser("77", 10);
    expect(written).toMatchObject([{ message: "Good." }]);
    expect(await removeAbout({ kind: "user", id: "77" }, driver)).toEqual({
      errors: 1,
      messages: 1,
      reports: 7,
    });
    expect(await removeAbout({ kind: "user", id: "77" }, driver)).toEqual(none);
    expect(await rowsIn(outbox)).toMatchObject({
      ...{ kept_reports: others.length, errors: 2, feedback: 1 },
    });
  });

  test("a user with any characters is found as JSON writes them", async () => {
    const { outbox, driver } = open();
    const id = 'Zoë "Z" 1/2';
    const json = JSON.stringify({ event_id: someEventId(), user: { id } });
    const escaped = json.replace("ë", "\\u00eb").replace("/", "\\/");
    const bytes = Buffer.from(`{}\n{"type":"replay_event"}\n${escaped}\n`);
    await outbox.append(bytes, "browser");
    await outbox.append(errorOf("of Zoë", { user: { id } }), "browser");
    await filerOf(outbox).file();
    const removed = await removeAbout({ kind: "user", id }, driver);
    expect(removed).toEqual({ errors: 1, messages: 0, reports: 2 });
  });

  test("of what can't be read, a report that holds the user's id goes, and no other", async () => {
    const { driver } = open();
    const deep = (id: string) => `{"user":{"id":"${id}"},"a":${"[".repeat(200)}${"]".repeat(200)}}`;
    const reports = [
      `{}\n{"type":"event"}\n${deep("anna-7")}\n`,
      `{}\n{"type":"event"}\n${deep("anna-8")}\n`,
      '{}\n{"type":"log","length":99}\n{"user":{"id":"anna-7"}}\n',
      // Of a replay, whose user stands in its event.
      '{}\n{"type":"replay_recording"}\n{"segment_id":0}[1,"anna-7"]\n',
    ];
    const rows = reports.map((text, i) => ({
      ...{ report_id: i + 1, kept_at: 1, low: 1, origin: "browser", size: 1, categories: 0 },
      ...{ server: null, envelope: Buffer.from(text) },
    }));
    await driver.transaction(insertAll("kept_reports", rows));
    expect(await removeAbout({ kind: "user", id: "anna-7" }, driver)).toEqual({
      ...none,
      reports: 2,
    });
    const left = await driver.read({ text: "select report_id from {kept_reports} order by 1" });
    expect(left).toEqual([{ report_id: 2 }, { report_id: 4 }]);
  });

  test("an event that arrived twice is kept once, so that none of it is left", async () => {
    const { outbox, driver, another } = open();
    const event = errorEvent({ user: { id: "77" } });
    const report = envelope([["event", event]]);
    await outbox.append(report, "browser");
    await outbox.append(report, "browser");
    await filerOf(outbox).file();
    await outbox.append(report, "browser");
    await filerOf(another()).file();
    expect(await rowsIn(outbox)).toMatchObject({ kept_reports: 1, errors: 1 });
    await removeAbout({ kind: "event", id: String(event.event_id) }, driver);
    expect(await everythingIn(driver)).not.toContain(event.event_id);
  });

  test("while others file the same, what came before is gone and nothing of theirs is broken", async () => {
    const { outbox, driver, another } = open();
    const same = { fingerprint: ["same"], user: { id: "77" } };
    const other = another();
    const before = Array.from({ length: 40 }, (_, n) => errorOf(`of ${n}`, same));
    await Promise.all(before.map((one) => outbox.append(one, "browser")));
    await filerOf(outbox).file();
    const later = Array.from({ length: 40 }, (_, n) => errorOf(`later ${n}`, same));
    await Promise.all(later.map((one) => other.append(one, "browser")));
    await Promise.all([filerOf(other).file(), removeAbout({ kind: "user", id: "77" }, driver)]);
    expect(await everythingIn(driver)).not.toContain("of 7");
    const [rows] = await driver.read({
      text: `select (select count(*) from {errors}) as errors,
        (select count(*) from {errors} as e join {error_groups} as g on g.group_id = e.group_id
          join {error_variants} as v on v.id = e.variant_id) as whole`,
    });
    expect(rows?.whole).toBe(rows?.errors);
  });
});
