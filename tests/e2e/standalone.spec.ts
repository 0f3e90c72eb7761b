import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, sep } from "node:path";
import { text } from "node:stream/consumers";
import { variants } from "../../scripts/variants.ts";
import { expect, test } from "../support/app";
import { envelope, errorEvent } from "../support/envelopes";
import { freePort } from "../support/free-port.js";
import { convertsImages } from "../support/images";

const { folder: built, env } = variants.shell;
const basePath = env.NEXT_PUBLIC_BASE_PATH;

let folder: string;

test.beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "signpost-standalone-")));
  cpSync(built, join(folder, "app"), { recursive: true, verbatimSymlinks: true });
});

test.afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("the standalone folder leads nowhere else, holds SQLite's binary, no stored reports, and a converter of images only where it is used", {
  tag: "@only-shell",
}, () => {
  const app = join(folder, "app");
  const entries = readdirSync(app, { recursive: true, encoding: "utf8" });
  const binaries = entries.filter((path) => path.endsWith(".node")).map((path) => basename(path));
  expect(binaries).toContain(`${process.platform}-${process.arch}.node`);
  expect(entries.filter((path) => path.includes("outbox.db"))).toEqual([]);
  const converter = entries.filter((path) => /node_modules\/(sharp|@img)\//.test(path));
  expect(converter.length > 0).toBe(convertsImages("shell"));
  const outside = entries
    .map((path) => realpathSync(join(app, path)))
    .filter((path) => !path.startsWith(app + sep));
  expect(outside).toEqual([]);
});

test("copied elsewhere, with an empty environment, it serves pages, takes reports, is healthy, and ends with 0", {
  tag: "@only-shell",
}, async ({ page }) => {
  const port = await freePort();
  const program = spawn(process.execPath, ["server.js"], {
    cwd: join(folder, "app"),
    env: { PATH: process.env.PATH, PORT: String(port), DATA_DIR: join(folder, "data") } as never,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(program, "close");
  try {
    let output = "";
    program.stdout.setEncoding("utf8").on("data", (chunk) => {
      output += chunk;
    });
    const origin = `http://127.0.0.1:${port}`;
    await expect.poll(() => output).toContain('"event":"started"');
    await page.goto(`${origin}${basePath}/dynamic/a-1`);
    await expect(page.locator('[data-fact="params"]')).toHaveText('{"id":"a-1"}');
    const event = errorEvent({ timestamp: Date.now() / 1000 });
    const taken = await fetch(`${origin}${basePath}/api/relay`, {
      method: "POST",
      body: Buffer.from(envelope([["event", event]])).toString(),
    });
    expect(taken.status).toBe(200);
    const ready = await fetch(`${origin}${basePath}/api/health/ready`);
    expect(await ready.json()).toMatchObject({ status: "ready", errorsWaiting: 1 });

    expect(await healthCheck(String(port))).toBe(0);
    await page.goto("about:blank");
    program.kill("SIGTERM");
    expect(await exited).toEqual([0, null]);
    expect(await healthCheck(String(port))).toBe(1);
  } finally {
    program.kill("SIGKILL");
    await exited;
  }
});

test("on a Node that is too old, the server ends with a sentence before it touches its data", {
  tag: "@only-shell",
}, async () => {
  const pretend = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.19.0" } });`;
  const program = spawn(
    process.execPath,
    ["--import", `data:text/javascript,${encodeURIComponent(pretend)}`, "server.js"],
    {
      cwd: join(folder, "app"),
      env: { PORT: String(await freePort()), DATA_DIR: join(folder, "data") } as never,
      stdio: ["ignore", "ignore", "pipe"],
    },
  );
  const said = text(program.stderr);
  const [code] = await once(program, "close");
  expect(await said).toMatch(
    /^Signpost needs Node .+, and this is Node 20\.19\.0: install a newer one/m,
  );
  expect(code).toBe(1);
  expect(existsSync(join(folder, "data"))).toBe(false);
});

/** Runs the health check of the Dockerfile as the container would. */
async function healthCheck(port: string): Promise<number> {
  const [, json = ""] =
    /^HEALTHCHECK[^[]*CMD (\[.*\])$/ms.exec(readFileSync("Dockerfile", "utf8")) ?? [];
  const [, ...args] = JSON.parse(json.split("\n")[0] ?? "") as string[];
  const check = spawn(process.execPath, args, {
    env: { PORT: port, NEXT_PUBLIC_BASE_PATH: basePath } as never,
    stdio: "inherit",
  });
  const [code] = await once(check, "close");
  return code;
}
