/**
 * What is kept for as long as the tab is open. A visitor's browser may forbid it: then nothing is
 * kept, and nothing found.
 */

/** @returns what was kept under the name, if it is there */
export function recall<T>(name: string): T | undefined {
  try {
    return JSON.parse(sessionStorage.getItem(name) ?? "") as T;
  } catch {
    return undefined;
  }
}

/** @returns whether it is kept now */
export function keep(name: string, value: unknown): boolean {
  try {
    sessionStorage.setItem(name, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}
