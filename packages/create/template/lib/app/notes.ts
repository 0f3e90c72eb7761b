import { z } from "zod";

/* An example: a list in this process's memory, where a product asks its database. */

export interface Note {
  id: string;
  text: string;
  /** ISO time. */
  at: string;
}

const maxNotes = 100;
const noteSchema = z.object({ text: z.string().trim().min(1).max(80) });

/** Of the whole process: Next bundles pages and API routes apart, each with this module. */
const kept = globalThis as { [key: symbol]: Note[] | undefined };
const key = Symbol.for("app.notes");

/** @returns the newest first */
export function notes(): readonly Note[] {
  kept[key] ??= [{ id: "welcome", text: "Welcome", at: "2026-01-01T12:00:00.000Z" }];
  return kept[key];
}

export function findNote(id: unknown): Note | undefined {
  return notes().find((note) => note.id === id);
}

/**
 * Over its bound, the list loses the oldest.
 *
 * @param given such as the body of a request
 * @returns nothing where that is no note
 */
export function addNote(given: unknown): Note | undefined {
  const { data } = noteSchema.safeParse(given);
  if (!data) return undefined;
  const note = { id: crypto.randomUUID(), text: data.text, at: new Date().toISOString() };
  kept[key] = [note, ...notes()].slice(0, maxNotes);
  return note;
}

/** @returns whether there was one */
export function removeNote(id: unknown): boolean {
  const before = notes();
  kept[key] = before.filter((note) => note.id !== id);
  return kept[key].length < before.length;
}
