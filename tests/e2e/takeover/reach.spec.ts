import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { originalPositionFor, sourceContentFor, TraceMap } from "@jridgewell/trace-mapping";
import type { Browser } from "playwright/test";
import { expect, test } from "../../support/app";
import { askByWebSocket, startElsewhere } from "../../support/elsewhere";
import { freePort } from "../../support/free-port.js";
import { type Program, untilItAnswers } from "../../support/server";
import { type Service, startService } from "../../support/service";
import { type Asked, startUploads, uploadedArchive, uploadedMaps } from "../../support/uploads";
import { type Row, SmallApp } from "./small-app";

/* What the package works with, each version and each way at least once. One row: npm run reach -- -g "Next 15.4" */

const rows: Row[] = [
  {
    ...{ next: "15.4.0", react: "18.2.0", node: "22.13.0", bundler: "webpack" },
    ...{ server: "next start", installer: "npm", code: "JavaScript", monorepo: "the root" },
    elsewhere: true,
  },
  {
    ...{ next: "15.5", react: "18.3", node: "22", bundler: "Turbopack" },
    ...{ server: "next start", installer: "pnpm", code: "TypeScript", src: true },
  },
  {
    ...{ next: "15.5", react: "19", node: "24", bundler: "webpack" },
    ...{ server: "standalone", installer: "npm", code: "TypeScript", readOnly: true },
    uploads: true,
  },
  {
    ...{ next: "16.0.0", react: "19", node: "22.13.0", bundler: "Turbopack" },
    ...{ server: "custom server", installer: "yarn", code: "JavaScript", src: true, twice: true },
    ...{ appRouter: true, elsewhere: true },
  },
  {
    ...{ next: "16.0", react: "18.3", node: "26", bundler: "webpack" },
    ...{ server: "Unix socket", installer: "bun", code: "TypeScript" },
  },
  {
    ...{ next: "16.4", react: "19", node: "26", bundler: "Turbopack" },
    ...{ server: "next start", installer: "pnpm", code: "JavaScript", monorepo: "the root" },
  },
  {
    ...{ next: "16.4", react: "18.2.0", node: "24", bundler: "webpack" },
    ...{ server: "standalone", installer: "npm", code: "TypeScript", monorepo: "the app" },
    elsewhere: true,
  },
  {
    ...{ next: "16.4", react: "19", node: "24", bundler: "webpack" },
    ...{ server: "next start", installer: "yarn PnP", code: "JavaScript" },
  },
];

// On a busy machine.
test.describe.configure({ timeout: 1_800_000 });

for (const row of rows) {
  test(nameOf(row), async ({ browser }) => {
    const start = Date.now();
    const app = new SmallApp(row);
    const services = [await startService(), ...(row.twice ? [await startService()] : [])];
    const uploads = row.uploads ? await startUploads() : undefined;
    const elsewhere = row.elsewhere ? await startElsewhere() : undefined;
    const served: ServedApp[] = [];
    try {
      await app.write();
      expect.soft(warningsIn(await test.step("install", () => app.install()))).toEqual([]);
      const env = { ...uploads?.env, ...(elsewhere && { ELSEWHERE: elsewhere.origin }) };
      expect.soft(warningsIn(await test.step("build", () => app.build(env)))).toEqual([]);
      for (const service of services) served.push(await serve(app, row, service));
      for (const [n, { origin }] of served.entries()) {
        const service = services[n] as Service;
        if (row.appRouter) expect((await fetch(`${origin}/beside`)).status).toBe(200);
        await test.step("the app's own API", () => expectOwnApi(origin));
        if (row.elsewhere) {
          expect(await askByWebSocket(`${origin}/api/chat`)).toBe("WebSocket /api/chat");
        }
        const references = await test.step("fail", () => failEverywhere(browser, origin));
        await test.step("arrive", () => expect.poll(() => told(service)).toEqual(expected));
        expect(eventIds(service)).toMatchObject(references);
        const lines = uploads ? uploadedLines(service, uploads.asked) : sourceLines(service);
        expect(lines.sort()).toEqual(app.throwing.sort());
      }
      for (const { program } of served) {
        program.child.kill("SIGTERM");
        expect(await program.exited).toBe(0);
        expect.soft(warningsIn(program.output())).toEqual([]);
      }
      await test.step("the inbox", () => expectInbox(app, row));
      // Each has its own, and nothing of the other's.
      for (const service of services) {
        expect(eventsOf(service).map(nameOfEvent).sort()).toEqual(expectedEvents);
      }
    } finally {
      for (const { remove } of served) await remove();
      for (const service of services) await service.close();
      uploads?.close();
      elsewhere?.stop();
      app.remove();
      console.log(`${Math.round((Date.now() - start) / 1000)} s: ${nameOf(row)}`);
    }
  });
}

interface ServedApp {
  origin: string;
  program: Program;
  remove(): Promise<void>;
}

/** Of what is below /api, the tunnel and its settings alone are the package's. */
async function expectOwnApi(origin: string): Promise<void> {
  for (const path of ["settings", "relay/more", "relay/settings/more", "relays", "own/settings"]) {
    for (const [method, body] of [["GET"], ["POST", "sent"], ["PUT", "sent"]]) {
      const answer = await fetch(`${origin}/api/${path}`, { method, body });
      expect([answer.status, await answer.text()]).toEqual([
        200,
        `${method} /api/${path} ${body ?? ""}`,
      ]);
    }
  }
  expect(await (await fetch(`${origin}/api/relay/settings`)).json()).toHaveProperty("release");
}

/** Without a service the same build keeps its errors itself, and shows them at the address that it prints. */
async function expectInbox(app: SmallApp, row: Row): Promise<void> {
  const { origin, program, remove } = await serve(app, row);
  try {
    expect((await fetch(`${origin}/api/broken`)).status).toBe(500);
    const [entry = ""] = /\/reports\?token=\w+/.exec(program.output()) ?? [];
    const opened = await fetch(origin + entry, { redirect: "manual" });
    const cookie = opened.headers.get("set-cookie")?.split(";")[0] ?? "";
    const page = () => fetch(`${origin}/reports`, { headers: { cookie } });
    await expect.poll(async () => (await page()).text()).toContain("<b>Error</b> <bdi>API</bdi>");
    const html = await (await page()).text();
    for (const [, file = ""] of html.matchAll(/"(\/reports\/[\w.]+\.(?:css|js))"/g)) {
      expect((await fetch(origin + file)).status).toBe(200);
    }
    expect((await fetch(`${origin}/reports`)).status).toBe(404);
    expect.soft(warningsIn(program.output())).toEqual([]);
  } finally {
    await remove();
  }
}

async function serve(
  app: SmallApp,
  { server, readOnly }: Row,
  service?: Service,
): Promise<ServedApp> {
  const data = mkdtempSync(join(tmpdir(), "signpost-reach-data-"));
  // For whichever user the server has.
  if (readOnly) chmodSync(data, 0o777);
  const port = await freePort();
  const socket = join(data, "socket");
  const isSocket = server === "Unix socket";
  const program = app.serve({
    PORT: isSocket ? socket : String(port),
    DATA_DIR: data,
    ...(service && { SENTRY_DSN: service.dsn }),
    BROWSER_TRACES_SAMPLE_RATE: "1",
  });
  const front = isSocket ? await forward(port, socket) : undefined;
  const origin = `http://localhost:${port}`;
  await untilItAnswers(program, origin);
  async function remove() {
    program.child.kill("SIGKILL");
    await program.exited;
    front?.close();
    rmSync(data, { recursive: true, force: true });
  }
  return { origin, program, remove };
}

/** As a reverse proxy does for a server that listens on a Unix socket. */
async function forward(port: number, socket: string): Promise<net.Server> {
  const server = net.createServer((client) => {
    const app = net.connect(socket);
    client.on("error", () => app.destroy());
    app.on("error", () => client.destroy());
    client.pipe(app).pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(port, resolve));
  return server;
}

/** @returns the references that a visitor was shown, by message */
async function failEverywhere(browser: Browser, origin: string): Promise<Record<string, string>> {
  const context = await browser.newContext();
  const page = await context.newPage();
  const output = page.locator("output");
  const shown: Record<string, string> = {};
  const note = async (message: string) => {
    await expect(output).toHaveText(/^[\da-f]{32}$/);
    await expect(output).not.toHaveText(Object.values(shown).at(-1) ?? "");
    shown[message] = (await output.textContent()) ?? "";
  };
  expect((await page.request.get(`${origin}/api/broken`)).status()).toBe(500);
  await page.goto(`${origin}/blog/broken`);
  await note("server data");
  await page.goto(`${origin}/?early`);
  await note("early");
  for (const name of ["click", "message"]) {
    await page.getByRole("button", { name }).click();
    await note(name);
  }
  await page.getByRole("link", { name: "one" }).click();
  await page.getByRole("button", { name: "left" }).click();
  await page.waitForURL(`${origin}/?left`);
  await context.close();
  return shown;
}

interface Frame {
  filename: string;
  abs_path?: string;
  lineno?: number;
  colno?: number;
  context_line?: string;
}

interface SeenEvent {
  event_id: string;
  message?: string;
  exception?: {
    values: { value: string; stacktrace?: { frames?: Frame[] } }[];
  };
  debug_meta?: { images: { code_file: string; debug_id: string }[] };
  transaction?: string;
  contexts?: { trace?: { op?: string } };
}

const emptyMap = { version: 3, sources: [], names: [], mappings: "" } as const;

const expectedEvents = ["API", "click", "early", "left", "message", "server data"];
const expected = [...expectedEvents, "navigation /blog/[slug]", "pageload /"].sort();

const eventsOf = (service: Service) => service.payloads<SeenEvent>("event");

const nameOfEvent = ({ message, exception }: SeenEvent) =>
  exception?.values[0]?.value ?? message ?? "";

/** Of what is expected, what has arrived. */
function told(service: Service): string[] {
  const measured = service
    .payloads<SeenEvent>("transaction")
    .map(({ transaction, contexts }) => `${contexts?.trace?.op} ${transaction}`);
  const all = new Set([...eventsOf(service).map(nameOfEvent), ...measured]);
  return expected.filter((name) => all.has(name));
}

const eventIds = (service: Service) =>
  Object.fromEntries(eventsOf(service).map((event) => [nameOfEvent(event), event.event_id]));

/** Where each error was thrown. */
function sourceLines(service: Service): (string | undefined)[] {
  return eventsOf(service).flatMap(({ exception }) =>
    (exception?.values ?? []).map(({ stacktrace }) =>
      stacktrace?.frames?.at(-1)?.context_line?.trim(),
    ),
  );
}

/** The same where the build has uploaded its source maps: the service finds each by its file's debug id. */
function uploadedLines(service: Service, asked: Asked[]): (string | undefined)[] {
  const uploads = asked.filter(
    ({ method, path }) => method === "POST" && path?.endsWith("/chunk-upload/"),
  );
  const maps = new Map(uploads.flatMap(({ body }) => uploadedMaps(uploadedArchive(body))));
  return eventsOf(service).flatMap(({ debug_meta, exception }) =>
    (exception?.values ?? []).map(({ stacktrace }) => {
      const {
        filename,
        abs_path = filename,
        lineno = 0,
        colno = 0,
      } = stacktrace?.frames?.at(-1) ?? {};
      const image = debug_meta?.images.find(({ code_file }) => code_file === abs_path);
      const map = new TraceMap(maps.get(image?.debug_id ?? "") ?? emptyMap);
      const { line, source } = originalPositionFor(map, { line: lineno, column: colno - 1 });
      return sourceContentFor(map, source ?? "")
        ?.split("\n")
        [(line ?? 0) - 1]?.trim();
    }),
  );
}

/**
 * But for what is said of the app's own choice: that a Next has a fault, soon takes no React 18 any more, or
 * leads requests to another server by a deprecated function of Node's; and of a disk that others keep busy.
 */
function warningsIn(output: string): string[] {
  const lines = output.split("\n").filter((line) => /warn|⚠|deprecated/i.test(line));
  const chosen =
    /deprecated next@|React 18 support is deprecated|util\._extend|--trace-deprecation|Slow filesystem/;
  return lines.filter((line) => !chosen.test(line));
}

/** Such as "Next 15.4.0, React 18.2.0, Node 22.13.0, webpack, next start, npm, JavaScript". */
function nameOf(row: Row): string {
  return [
    ...[`Next ${row.next}`, `React ${row.react}`, `Node ${row.node}`],
    ...[row.bundler, row.server, row.installer, row.code],
    ...(row.src ? ["src/"] : []),
    ...(row.monorepo ? [`monorepo from ${row.monorepo}`] : []),
    ...(row.appRouter ? ["app/"] : []),
    ...(row.readOnly ? ["read-only"] : []),
    ...(row.elsewhere ? ["rewrite"] : []),
    ...(row.uploads ? ["uploads"] : []),
    ...(row.twice ? ["twice"] : []),
  ].join(", ");
}
