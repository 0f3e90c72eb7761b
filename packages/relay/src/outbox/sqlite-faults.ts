import { constants } from "node:os";
import type { OutboxFault } from "./driver.ts";

export interface Failure {
  fault: OutboxFault;
  message: string;
  cause: string;
}

export const diskFull = { fault: "full", message: "The disk is full." } as const;
const notWritable =
  "The data folder (DATA_DIR, or `store.folder` of createRelay) must be one that the server's user may write.";
/** By SQLite's codes, without what extends them: https://www.sqlite.org/rescode.html */
const faults: [codes: number[], fault: OutboxFault, sentence: string][] = [
  // Busy, locked, and a lock that can't be had.
  [[5, 6, 15], "busy", "Another process blocks the outbox."],
  [[13], diskFull.fault, diskFull.message],
  // No rights, read-only, can't be opened.
  [[3, 8, 14], "unwritable", notWritable],
  // Too large, against a rule of a column, of another type, for no parameter.
  [[18, 19, 20, 25], "malformed", "The report can't be stored."],
];
const unusable = [[], "unwritable", "The outbox can't be used."] as const;
const mismatch = 20;
const cannotOpen = 14;
/** Damaged, and no database at all. */
const damageCodes = [11, 26];
/** The end is missing: this one is extended. */
const shortRead = 522;
/** Damaged, or no rights, read-only, an error of the disk, can't be opened. */
const brokenCodes = [...damageCodes, 3, 8, 10, 14];

function codeOf(error: unknown): number {
  return (error as { errcode?: number }).errcode ?? 0;
}

/** Of a file that a check has found damaged: as SQLite's own. */
export function damaged(message: string): Error {
  return Object.assign(new Error(message), { errcode: damageCodes[0] });
}

/** The file is damaged, or no database at all. */
export function isDamage(error: unknown): boolean {
  return damageCodes.includes(codeOf(error) & 255) || codeOf(error) === shortRead;
}

/** Opening the file anew may help. */
export function isBroken(error: unknown): boolean {
  return brokenCodes.includes(codeOf(error) & 255);
}

/** A table is missing, or a column. */
export function isSchemaFault(error: unknown): boolean {
  return /^no such (table|column)|has no column named/.test((error as Error).message);
}

/** Of Node, which has no code for a quota that is used up: the disk is full. */
export function isDiskFull(error: unknown): boolean {
  const { code, errno } = error as NodeJS.ErrnoException;
  return code === "ENOSPC" || errno === -constants.errno.EDQUOT;
}

/** What went wrong, for the log and for who asked. */
export function toFailure(error: unknown): Failure {
  if ((error as Failure).fault) return error as Failure;
  if (isDiskFull(error)) return { ...diskFull, cause: String(error) };
  const { syscall } = error as NodeJS.ErrnoException;
  // Of Node: a value that SQLite can't hold, or a number that JavaScript can't.
  const isValue = error instanceof TypeError || error instanceof RangeError;
  // Node's own calls make the folder and the file.
  const code = isValue ? mismatch : syscall ? cannotOpen : codeOf(error) & 255;
  const [, fault, message] = faults.find(([codes]) => codes.includes(code)) ?? unusable;
  return { fault, message, cause: String(error) };
}
