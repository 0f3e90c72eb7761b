import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { OutboxError } from "./driver.ts";
import { isDiskFull } from "./sqlite-statements.ts";

const mebibyte = 1024 * 1024;
/**
 * What new reports leave free: enough for claims and acknowledgements of those that wait. The log that
 * these are written to grows to about twice its 4 MB between checkpoints, and the file by what is in it.
 */
const minFreeBytes = 16 * mebibyte;
/** Given up where others have filled the disk. A disk with much room needs none. */
const reserveBytes = minFreeBytes;
const reserveBelowBytes = 1024 * mebibyte;
/** Minimum time between two looks at whether it is needed. */
const reserveMs = 1000;
/** With less than that, whatever fails does so for lack of room. */
const noRoomBytes = mebibyte;

/**
 * The room on the disk of a database. Each delivery needs some, if only for a while: so new reports are
 * refused before there is none, and a reserve is given up where others take it.
 */
export class DiskSpace {
  readonly #folder: string;
  readonly #reserve: string;
  readonly #probe: string;
  #checkedAt = Number.NEGATIVE_INFINITY;

  constructor(file: string) {
    this.#folder = dirname(file);
    this.#reserve = `${file}.reserve`;
    this.#probe = `${file}.probe`;
  }

  /** @throws {OutboxError} if there is no room for a new report */
  check(): void {
    if (this.#freeBytes() >= minFreeBytes) return;
    const left = `less than ${minFreeBytes / mebibyte} MiB are left.`;
    throw new OutboxError("full", `The disk is almost full: ${left}`);
  }

  /** Makes the reserve if it may be needed, and there is room for it. */
  keepReserve(): void {
    const now = performance.now();
    if (now - this.#checkedAt < reserveMs) return;
    this.#checkedAt = now;
    const free = this.#freeBytes();
    if (free > reserveBelowBytes || free < minFreeBytes + reserveBytes) return;
    if (existsSync(this.#reserve)) return;
    try {
      // A file system may store zeros as nothing.
      writeFileSync(this.#reserve, randomBytes(reserveBytes), { mode: 0o600 });
    } catch {
      rmSync(this.#reserve, { force: true });
    }
  }

  /** After a failure. @param isFull whether that was for lack of room @returns whether there is room now */
  giveUpReserve(isFull: boolean): boolean {
    if (!isFull || !existsSync(this.#reserve)) return false;
    rmSync(this.#reserve, { force: true });
    return true;
  }

  /** @returns whether nothing more can be written. Of a quota, the numbers of a file system may say nothing */
  isFull(): boolean {
    try {
      if (this.#freeBytes() < noRoomBytes) return true;
      writeFileSync(this.#probe, randomBytes(noRoomBytes), { mode: 0o600 });
      rmSync(this.#probe, { force: true });
      return false;
    } catch (error) {
      rmSync(this.#probe, { force: true });
      return isDiskFull(error);
    }
  }

  #freeBytes(): number {
    const { bavail, bsize, blocks } = statfsSync(this.#folder);
    // Some file systems don't say.
    return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize;
  }
}

/**
 * Creates folders one by one: `recursive` never returns for some paths, such as below `/proc`. Only
 * the server's user may read the last one, since reports wait there in the clear. A folder that is
 * there keeps its mode.
 *
 * @param mode the process's default if missing
 * @throws {NodeJS.ErrnoException} where there can be no such folder
 */
export function makeFolder(dir: string, mode?: number): void {
  if (existsSync(dir)) return;
  makeFolder(dirname(dir));
  try {
    mkdirSync(dir, mode);
  } catch (error) {
    // Another process may have created it in the meantime.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}
