import { readFileSync } from "node:fs";
import type { Page } from "playwright/test";
import { open } from "./navigation";
import type { App } from "./server";

/** A page or an API route that fails. */
export interface Failure {
  path: string;
  file: string;
  /** Of the function that throws. */
  name: string;
  inBrowser: boolean;
}

/** Every way of failing that the pages of the tests have. */
export const failures: Failure[] = [
  { path: "/failures/client-event", name: "failInHandler", inBrowser: true },
  { path: "/failures/client-promise", name: "rejectUnhandled", inBrowser: true },
  { path: "/failures/client-render", name: "ClientRender", inBrowser: true },
  { path: "/failures/server-data", name: "getServerSideProps", inBrowser: false },
  { path: "/failures/server-render", name: "ServerRender", inBrowser: false },
]
  .map((failure) => ({ ...failure, file: `pages${failure.path}.tsx` }))
  .concat({ path: "/api/failure", name: "fail", inBrowser: false, file: "pages/api/failure.ts" });

/** The line of a failing page that throws, from 1, and the message of its error. */
export function thrown({ file }: Failure): { line: number; code: string; message: string } {
  const lines = readFileSync(`tests/fixtures/${file}`, "utf8").split("\n");
  const index = lines.findIndex((line) => line.includes("throw new Error"));
  const code = lines[index] ?? "";
  return { line: index + 1, code, message: /"(.+)"/.exec(code)?.[1] ?? "" };
}

/** Makes a page fail, in the browser or for a client that wants nothing else. */
export async function fail(page: Page, app: App, { path, inBrowser }: Failure): Promise<void> {
  if (!inBrowser) {
    await fetch(app.url(path));
    return;
  }
  await open(page, app.url(path));
  await page.locator("main button").click();
}
