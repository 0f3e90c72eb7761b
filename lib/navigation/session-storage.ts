/**
 * JSON values in `sessionStorage`, which lasts as long as the tab. A browser may forbid storage:
 * then nothing is stored and nothing is found.
 */

/** @returns the stored value, or undefined */
export function readSession<T>(name: string): T | undefined {
  try {
    return JSON.parse(sessionStorage.getItem(name) ?? "") as T;
  } catch {
    return undefined;
  }
}

/** @returns whether the value is stored now */
export function writeSession(name: string, value: unknown): boolean {
  try {
    sessionStorage.setItem(name, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}
