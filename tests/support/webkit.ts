import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { freePort } from "./free-port.js";

/*
 * WebKitGTK, driven by W3C WebDriver: Playwright drives its own WebKit alone.
 * Source: https://www.w3.org/TR/webdriver2/
 */

const driver = "/usr/bin/WebKitWebDriver";
const display = "/usr/bin/Xvfb";
const browsers = "/usr/lib/*/webkit2gtk-4.*/MiniBrowser";

/** The programs' paths, where all are installed: by Debian's webkit2gtk-driver and xvfb. */
export function findWebKit(): { driver: string; display: string; browser: string } | undefined {
  const browser = globSync(browsers).at(-1);
  return browser && [driver, display].every(existsSync) ? { driver, display, browser } : undefined;
}

export interface WebKit {
  /** Loads a page. */
  open: (url: string) => Promise<void>;
  /** Runs a function in the page. It sees nothing but what it is given, and both are JSON. */
  evaluate: <T, A extends unknown[]>(run: (...args: A) => T, ...args: A) => Promise<T>;
  /** Clicks the first element, as a visitor does. */
  click: (selector: string) => Promise<void>;
  resize: (width: number, height: number) => Promise<void>;
  stop: () => Promise<void>;
}

/** Starts the browser on a display of its own. */
export async function startWebKit(): Promise<WebKit> {
  const found = findWebKit();
  if (!found) throw new Error("webkit2gtk-driver or xvfb is not installed");
  const screen = spawn(found.display, ["-displayfd", "1", "-nolisten", "tcp"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [number] = await once(screen.stdout, "data");
  const port = await freePort();
  const program = spawn(found.driver, [`--port=${port}`], {
    stdio: "ignore",
    env: {
      ...process.env,
      DISPLAY: `:${`${number}`.trim()}`,
      // In containers it finds none. All pages are the tests' own.
      WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: "1",
      WEBKIT_DISABLE_COMPOSITING_MODE: "1",
    },
  });
  const origin = `http://127.0.0.1:${port}`;
  await untilReady(program, `${origin}/status`);
  const options = { binary: found.browser, args: ["--automation"] };
  const { sessionId } = await send<{ sessionId: string }>("POST", `${origin}/session`, {
    capabilities: { alwaysMatch: { "webkitgtk:browserOptions": options } },
  });
  const session = `${origin}/session/${sessionId}`;
  const post = <T>(path: string, body: object) => send<T>("POST", `${session}/${path}`, body);
  return {
    open: (url) => post("url", { url }),
    evaluate: (run, ...args) =>
      post("execute/sync", { script: `return (${run})(...arguments)`, args }),
    async click(selector) {
      const found = await post<object>("element", { using: "css selector", value: selector });
      await post(`element/${Object.values(found)[0]}/click`, {});
    },
    resize: (width, height) => post("window/rect", { width, height }),
    async stop() {
      await send("DELETE", session);
      for (const child of [program, screen]) child.kill();
      await Promise.all([program, screen].map(ended));
    },
  };
}

const ended = (child: ChildProcess) => child.exitCode ?? child.signalCode ?? once(child, "close");

async function untilReady(program: ChildProcess, url: string): Promise<void> {
  while (program.exitCode === null) {
    if (await fetch(url).catch(() => undefined)) return;
    await wait(50);
  }
  throw new Error(`WebKitWebDriver ended with ${program.exitCode}`);
}

async function send<T>(method: string, url: string, body?: object): Promise<T> {
  const answer = await fetch(url, { method, ...(body && { body: JSON.stringify(body) }) });
  const { value } = (await answer.json()) as { value: T & { error?: string; message?: string } };
  if (!answer.ok) throw new Error(`${value.error}: ${value.message}`);
  return value;
}
