import { expect, test } from "vitest";
import { addNote, findNote, notes, removeNote } from "@/lib/app/notes";

test("a note that was added comes first, and is found by its id", () => {
  const note = addNote({ text: " Buy lamps " });
  expect(notes()[0]).toMatchObject({ id: note?.id, text: "Buy lamps" });
  expect(findNote(note?.id)).toEqual(note);
});

test.each([undefined, {}, { text: "  " }, { text: "x".repeat(81) }])("%j is no note", (given) => {
  expect(addNote(given)).toBeUndefined();
});

test("the list is bounded, and loses the oldest", () => {
  for (let n = 0; n < 120; n += 1) addNote({ text: `Note ${n}` });
  expect(notes()).toHaveLength(100);
  expect(notes()[0]?.text).toBe("Note 119");
});

test("a note is removed once", () => {
  const note = addNote({ text: "Gone soon" });
  expect([removeNote(note?.id), removeNote(note?.id)]).toEqual([true, false]);
});
