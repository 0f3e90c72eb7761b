import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

/** A new folder, removed when the test ends. */
export function temporaryFolder(files: Record<string, string> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), "signpost-"));
  // One with an app's packages takes a while.
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }), 60_000);
  for (const [path, text] of Object.entries(files)) writeIn(folder, path, text);
  return folder;
}

/** Writes a file below a folder, and makes the folders that it lies in. */
export function writeIn(folder: string, path: string, text: string | Uint8Array): string {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}
