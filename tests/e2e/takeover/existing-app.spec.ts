import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright/test";
import { expect, test } from "../../support/app";
import { freePort } from "../../support/free-port.js";
import { startPostgres } from "../../support/postgres.js";
import { type Program, spawnNode } from "../../support/server";
import { type Service, startService } from "../../support/service";
import { ExistingApp } from "./existing-app";

interface SeenEvent {
  message?: string;
  exception?: {
    values: { value: string; stacktrace?: { frames?: { context_line?: string }[] } }[];
  };
  user?: { id?: string };
  tags?: Record<string, string>;
  breadcrumbs?: { message?: string }[];
  contexts?: { feedback?: { message?: string } };
  transaction?: string;
  spans?: { description?: string }[];
}

/** When an error happens, and what is in the way of its report. */
const situations = [
  "inline",
  "early",
  "late",
  "left",
  "offline",
  "blocked",
  "service down",
  "server killed",
] as const;

/** What a team sees of reports at its service. */
interface Outcome {
  /** Of the situations, those whose error has arrived. */
  arrived: string[];
  /** What else was told in the pages and on the server. */
  told: string[];
  /** First load of `/`: bytes of its scripts, gzipped. */
  scripts: number;
}

/**
 * Milliseconds that a report has to arrive. The outbox tries again what the service has refused, and a
 * killed server's claim ends after 15 s; what the wizard's set-up loses is waited for in vain.
 */
const patience = { package: 60_000, wizard: 5000 };

test.describe.configure({ mode: "default", timeout: 1_800_000 });

test("an app in TypeScript with src/, built by Turbopack, takes the package and leaves it again @verify", async ({
  browser,
}) => {
  const app = new ExistingApp("typescript");
  try {
    await app.write();
    const before = await readFile(join(app.folder, "package.json"), "utf8");
    app.takePackage();
    const taken = await outcomeOf(browser, app, patience.package, async (served) => {
      const told = await served.refusal({ DATABASE_URL: "postgres://localhost/shop" });
      expect(told).toMatch(/DATABASE_URL is set, but "pg",.* npm install pg/);
    });
    app.leavePackage();
    expect(JSON.parse(await readFile(join(app.folder, "package.json"), "utf8"))).toEqual(
      JSON.parse(before),
    );
    expect(existsSync(join(app.folder, "node_modules/@signpost/sentry"))).toBe(false);
    const left = await outcomeOf(browser, app, patience.wizard);
    // What came before comes after, more gets through, and the first load has lost the SDK.
    expect(left).toMatchObject({ arrived: ["early", "late", "left"], told: expected });
    expect(taken).toMatchObject({ arrived: [...situations], told: [...expected, ...sourceLines] });
    expect(taken.scripts).toBeLessThan(left.scripts - 50_000);
  } finally {
    app.remove();
  }
});

test("an app in JavaScript, built by webpack and served standalone, takes the package, and Postgres @verify", async ({
  browser,
}) => {
  const app = new ExistingApp("javascript");
  const postgres = await startPostgres();
  try {
    await app.write();
    app.takePackage();
    const env = { DATABASE_URL: postgres.url };
    expect(await outcomeOf(browser, app, patience.package, undefined, env)).toMatchObject({
      arrived: [...situations],
      told: [...expected, ...sourceLines],
    });
  } finally {
    app.remove();
    await postgres.stop();
  }
});

/**
 * Builds an app and visits it.
 *
 * @param check what else its server must do
 * @param env variables of the server besides
 */
async function outcomeOf(
  browser: Browser,
  app: ExistingApp,
  timeout: number,
  check?: (served: ServedApp) => Promise<void>,
  env: Record<string, string> = {},
): Promise<Outcome> {
  const service = await startService();
  // The SDK of the wizard's set-up posts from the page to the service itself.
  const takes = () => ({ status: 200, headers: { "Access-Control-Allow-Origin": "*" } });
  await service.behave(takes);
  const variables = { NEXT_PUBLIC_SENTRY_DSN: service.dsn };
  const served = new ServedApp(await app.build(variables), { SENTRY_DSN: service.dsn, ...env });
  try {
    await check?.(served);
    await served.start();
    const scripts = await firstLoadOf(browser, served);
    await tell(browser, served, service);
    const arrived = await goThrough(browser, served, service, takes, timeout);
    return { arrived, told: toldTo(service), scripts };
  } finally {
    await served.remove();
    await service.close();
  }
}

/** The app, served on one port and with one data folder for as long as the test runs. */
class ServedApp {
  readonly #command: [script: string, folder: string, args: string[]];
  readonly #env: Record<string, string>;
  readonly #data = mkdtempSync(join(tmpdir(), "signpost-existing-"));
  #port = 0;
  #program: Program | undefined;

  constructor(command: [string, string, string[]], env: Record<string, string>) {
    this.#command = command;
    this.#env = {
      DATA_DIR: this.#data,
      SENTRY_TRACES_SAMPLE_RATE: "1",
      BROWSER_TRACES_SAMPLE_RATE: "1",
      NODE_ENV: "production",
      ...env,
    };
  }

  url(path: string): string {
    return `http://localhost:${this.#port}${path}`;
  }

  async start(): Promise<void> {
    const program = await this.#spawn();
    this.#program = program;
    const answers = () =>
      fetch(this.url("/api/orders")).then(
        ({ status }) => status,
        () => program.output(),
      );
    await expect.poll(answers).toBe(200);
  }

  /** What a server says that does not start with these variables. */
  async refusal(env: Record<string, string>): Promise<string> {
    const program = await this.#spawn(env);
    expect(await program.exited).toBe(1);
    return program.output();
  }

  async #spawn(env: Record<string, string> = {}): Promise<Program> {
    this.#port ||= await freePort();
    const [script, folder, args] = this.#command;
    const PORT = String(this.#port);
    return spawnNode(script, { ...this.#env, ...env, PORT }, folder, args);
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    this.#program?.child.kill(signal);
    await this.#program?.exited;
  }

  async remove(): Promise<void> {
    await this.end("SIGKILL");
    rmSync(this.#data, { recursive: true, force: true });
  }
}

async function visit(browser: Browser, app: ServedApp, path = "/") {
  const context = await browser.newContext();
  await context.addCookies([{ name: "customer", value: "kim", url: app.url("/") }]);
  const page = await context.newPage();
  await page.goto(app.url(path));
  return { context, page };
}

async function firstLoadOf(browser: Browser, app: ServedApp): Promise<number> {
  const { context, page } = await visit(browser, app);
  const scripts = await page.evaluate(() =>
    (performance.getEntriesByType("resource") as PerformanceResourceTiming[])
      .filter(({ initiatorType }) => initiatorType === "script")
      .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
  );
  await context.close();
  return scripts;
}

const click = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();

/** Everything that is told below, as it is named there. */
const expected = [
  "breadcrumb order sent",
  "error caught",
  "error no such post",
  "error order failed",
  "error rejected",
  "feedback I like it",
  "message from the edge",
  "message ordered",
  "span load orders",
  "tag area checkout",
  "tag tenant acme",
  "transaction /",
  "transaction /blog/[slug]",
  "transaction GET /api/orders",
  "transaction GET /blog/[slug]",
  "user kim",
];

/** What only the package brings: of an error in a page, and of one on the server, its line in the source. */
const sourceLines = [
  "source throw new Error(what);",
  'source if (params?.slug === "broken") throw new Error("no such post");',
];

function toldTo(service: Service): string[] {
  const told = new Set<string>();
  const types = ["event", "transaction", "feedback"];
  const payloads = types.flatMap((type) =>
    service.items(type).map(({ payload }) => payload as SeenEvent),
  );
  for (const event of payloads) {
    told.add(`message ${event.message}`);
    for (const { value, stacktrace } of event.exception?.values ?? []) {
      told.add(`error ${value}`);
      for (const frame of stacktrace?.frames ?? [])
        told.add(`source ${frame.context_line?.trim()}`);
    }
    for (const [name, value] of Object.entries(event.tags ?? {})) told.add(`tag ${name} ${value}`);
    for (const { message } of event.breadcrumbs ?? []) told.add(`breadcrumb ${message}`);
    for (const { description } of event.spans ?? []) told.add(`span ${description}`);
    told.add(`user ${event.user?.id}`);
    told.add(`transaction ${event.transaction}`);
    // Once the page load is measured, a span is a transaction of its own, as with Sentry's set-up.
    told.add(`span ${event.transaction}`);
    told.add(`feedback ${event.contexts?.feedback?.message}`);
  }
  return [...expected, ...sourceLines].filter((one) => told.has(one));
}

/** Has a visitor and the server tell all kinds of things. */
async function tell(browser: Browser, app: ServedApp, service: Service): Promise<void> {
  const { context, page } = await visit(browser, app);
  for (const name of ["caught", "rejected", "feedback"]) await click(page, name);
  // Of a page that is left before the SDK is there, the package's CALLS.md promises errors, not spans.
  await expect.poll(() => toldTo(service)).toContain("error rejected");
  await click(page, "order");
  await expect.poll(() => toldTo(service)).toContain("message ordered");
  await page.getByRole("link", { name: "one" }).click();
  await expect(page.getByRole("heading", { name: "one" })).toBeVisible();
  expect((await page.goto(app.url("/blog/broken")))?.status()).toBe(500);
  await fetch(app.url("/api/orders?fail=order%20failed"));
  await fetch(app.url("/api/edge"));
  await expect.poll(() => toldTo(service)).toEqual(expect.arrayContaining(expected));
  await context.close();
}

/** Has an error happen in each situation. */
async function goThrough(
  browser: Browser,
  app: ServedApp,
  service: Service,
  takes: () => { status: number },
  timeout: number,
): Promise<string[]> {
  const came = (error: string) => toldErrors(service).includes(error);
  const comes = async (error: string) =>
    expect
      .poll(() => came(error), { timeout })
      .toBe(true)
      .catch(() => {});
  const inVisit = async (
    path: string,
    use: (page: Page, context: BrowserContext) => Promise<unknown>,
  ) => {
    const { page, context } = await visit(browser, app, path);
    await use(page, context);
    await context.close();
  };
  await inVisit("/?inline", () => comes("inline"));
  await inVisit("/?throw=early", async (page) => {
    await comes("early");
    await click(page, "late");
    await comes("late");
  });
  await inVisit("/", async (page) => {
    await click(page, "left");
    await page.waitForURL("**/blog/left");
    await comes("left");
  });
  await inVisit("/?throw=online", async (page, context) => {
    await comes("online");
    await context.setOffline(true);
    await click(page, "offline");
    await context.setOffline(false);
    await page.reload();
    await comes("offline");
  });
  await inVisit("/", async (page) => {
    // As blockers of advertisements do it: by the host and the path of Sentry's own services.
    await page.route(/\/envelope\/|sentry_key/, (route) => route.abort());
    await click(page, "blocked");
    await comes("blocked");
  });
  await service.behave(() => ({ status: 503 }));
  const tried = (error: string) => () =>
    service.attempts.some(({ items }) => JSON.stringify(items).includes(error));
  await inVisit("/?throw=service%20down", async () => {
    await expect.poll(tried("service down")).toBe(true);
  });
  await fetch(app.url("/api/orders?fail=server%20killed"));
  await app.end("SIGKILL");
  await app.start();
  await service.behave(takes);
  await comes("service down");
  await comes("server killed");
  return situations.filter(came);
}

function toldErrors(service: Service): (string | undefined)[] {
  return service
    .items("event")
    .map(({ payload }) => (payload as SeenEvent).exception?.values.at(-1)?.value);
}
