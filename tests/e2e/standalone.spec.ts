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
import { join, sep } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "../support/app";
import { envelope, errorEvent } from "../support/envelopes";
import { freePort } from "../support/free-port.js";
import { convertsImages } from "../support/images";
import { variants } from "../support/variants.ts";

const { folder: built, env } = variants.shell;
const basePath = env.NEXT_PUBLIC_BASE_PATH;

let folder: string;

test.beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "signpost-standalone-")));
  cpSync(built, join(folder, "app"), { recursive: true, verbatimSymlinks: true });
});

test.afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("the standalone folder leads nowhere else, holds no stored reports, no sources of pages, and no binary but that of a converter of images, where it is used", {
  tag: "@only-shell",
}, () => {
  const app = join(folder, "app");
  const entries = readdirSync(app, { recursive: true, encoding: "utf8" });
  expect(entries.filter((path) => /outbox\.db|^pages\b/.test(path))).toEqual([]);
  const isOfConverter = (path: string) => /node_modules\/(sharp|@img)\//.test(path);
  const binaries = entries.filter((path) => /\.node$|\.so(\.\d+)*$/.test(path));
  expect(binaries.filter((path) => !isOfConverter(path))).toEqual([]);
  const converter = entries.filter(isOfConverter);
  expect(converter.length > 0).toBe(convertsImages("shell"));
  const outside = entries
    .map((path) => realpathSync(join(app, path)))
    .filter((path) => !path.startsWith(app + sep));
  expect(outside).toEqual([]);
});

test("copied elsewhere, with nothing but a DSN, it serves pages, delivers reports, is healthy, and ends with 0", {
  tag: "@only-shell",
}, async ({ page, service }) => {
  const port = await freePort();
  const { PATH } = process.env;
  const own = { PATH, PORT: String(port), DATA_DIR: join(folder, "data"), SENTRY_DSN: service.dsn };
  const program = spawn(process.execPath, ["server.js"], {
    cwd: join(folder, "app"),
    env: own as never,
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
    const answer = await fetch(`${origin}${basePath}/api/relay`, {
      method: "POST",
      body: Buffer.from(envelope([["event", event]])).toString(),
    });
    expect(answer.status).toBe(200);
    const ready = () => fetch(`${origin}${basePath}/api/health/ready`).then((it) => it.json());
    const delivered = { status: "ready", errorsWaiting: 0, lastDelivery: expect.any(String) };
    await expect.poll(ready).toMatchObject(delivered);
    const sent = service.payloads("event");
    expect(sent).toEqual([expect.objectContaining({ event_id: event.event_id })]);

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
  expect(await said).toMatch(/needs Node .+, and this is Node 20\.19\.0: install a newer one/m);
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
