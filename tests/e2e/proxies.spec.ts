import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, test } from "../support/app";
import { freePort } from "../support/free-port.js";
import { variants } from "../support/variants.ts";

/*
 * The files in deploy/, each started with the program that it is for. Where that is not installed, its
 * tests are skipped.
 */

const mebibyte = 1024 * 1024;

let folder: string;
let started: ChildProcess[];

test.beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "signpost-proxies-"));
  started = [];
});

test.afterEach(async () => {
  for (const child of started) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const closed = once(child, "close");
    child.kill("SIGTERM");
    await closed;
  }
  rmSync(folder, { recursive: true, force: true });
});

/** Starts a program, and waits until it listens. @returns all that it has written so far */
async function start(command: string, args: string[], port: number, env = {}) {
  const child = spawn(command, args, {
    env: { ...process.env, HOME: folder, ...env } as NodeJS.ProcessEnv,
    stdio: ["ignore", "pipe", "pipe"],
  });
  started.push(child);
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      said += chunk;
    });
  }
  const answers = () => fetch(`http://127.0.0.1:${port}/api/health/live`).then(() => true);
  await expect.poll(() => answers().catch(() => said)).toBe(true);
  return () => said;
}

/** Where scripts and styles of earlier builds are kept. */
const assets = () => join(folder, "assets");

/** A proxy in front of these servers. */
interface Proxy {
  origin: string;
  /** Its log of requests. */
  log: () => string;
}

async function startCaddy(upstreams: string[]): Promise<Proxy> {
  const port = await freePort();
  const file = join(folder, "Caddyfile");
  // Its own port for commands may be taken.
  const given = readFileSync("deploy/Caddyfile", "utf8");
  writeFileSync(file, given.replace(/^\{$/m, "{\n\tadmin off"));
  const origin = `http://127.0.0.1:${port}`;
  const env = { SITE: origin, UPSTREAMS: upstreams.join(" "), ASSETS: assets() };
  const log = await start("caddy", ["run", "--config", file, "--adapter", "caddyfile"], port, env);
  return { origin, log };
}

/** Where one of the servers is always down, with what the file itself says of that. */
async function startNginx(upstreams: string[], fails = "max_fails=3"): Promise<Proxy> {
  const port = await freePort();
  const accessLog = join(folder, "access.log");
  const server = "server 127.0.0.1:3000";
  const site = readFileSync("deploy/nginx.conf", "utf8")
    .replace(/^\tserver 127\.0\.0\.1:3000 (.*)$/m, (line) =>
      upstreams
        .map((upstream) => line.replace(server, `server ${upstream}`).replace("max_fails=3", fails))
        .join("\n"),
    )
    .replace("listen 80;", `listen 127.0.0.1:${port};`)
    .replace("/srv/signpost-assets", assets())
    .replace("/var/log/nginx/signpost.log", accessLog)
    .replace("/var/log/nginx/error.log", "stderr");
  writeFileSync(join(folder, "site.conf"), site);
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  const main = join(folder, "nginx.conf");
  writeFileSync(
    main,
    // Who starts it as root gives its workers another user, who may not write to this folder.
    `${process.getuid?.() === 0 ? "user root;" : ""}
    daemon off;
    pid ${join(folder, "nginx.pid")};
    error_log stderr warn;
    events {}
    http {
      # As in the nginx.conf that it comes with.
      include /etc/nginx/mime.types;
      ${paths.map((name) => `${name}_temp_path ${join(folder, name)};`).join("\n")}
      include ${join(folder, "site.conf")};
    }`,
  );
  const errors = await start("nginx", ["-e", "stderr", "-c", main], port);
  const log = () => readFileSync(accessLog, "utf8") + errors();
  return { origin: `http://127.0.0.1:${port}`, log };
}

const unit = readFileSync("deploy/signpost@.service", "utf8");

/** What the systemd unit has for a key. */
function valuesInUnit(key: string): string[] {
  return [...unit.matchAll(new RegExp(`^${key}=(.*)$`, "gm"))].map(([, value = ""]) => value);
}

function unitEnvironment(): NodeJS.ProcessEnv {
  const pairs = valuesInUnit("Environment").join(" ").split(" ");
  return Object.fromEntries(pairs.map((pair) => pair.split("=")));
}

/** An envelope of so many bytes. */
function envelopeOfSize(bytes: number): string {
  const id = crypto.randomUUID().replaceAll("-", "");
  const head = `${JSON.stringify({ event_id: id })}\n{"type":"attachment","filename":"a"}\n`;
  return head + "x".repeat(bytes - head.length);
}

for (const [program, startProxy] of [
  ["caddy", startCaddy],
  ["nginx", startNginx],
] as const) {
  test.describe(`${program}, with its file in deploy/`, { tag: "@verify" }, () => {
    const isThere = spawnSync(program, ["-v"]).error === undefined;
    test.skip(!isThere, `${program} is not installed: apt-get install ${program}`);

    test("passes on pages and reports up to the bound, and its log has no token", async ({
      launch,
    }) => {
      const app = await launch({ TRUSTED_PROXIES: "loopback" });
      const { origin, log } = await startProxy([new URL(app.origin).host]);
      const page = await fetch(`${origin}/server?q=1`);
      expect(page.status).toBe(200);
      expect(await page.text()).toContain("</html>");
      const post = async (bytes: number) => {
        const body = envelopeOfSize(bytes);
        return (await fetch(`${origin}/api/relay`, { method: "POST", body })).status;
      };
      expect(await post(1.5 * mebibyte)).toBe(200);
      expect(await post(2 * mebibyte)).toBe(200);
      expect(await post(3 * mebibyte)).toBe(413);
      const entry = await fetch(`${origin}/reports?token=${app.inboxToken}`, {
        redirect: "manual",
      });
      expect([entry.status, entry.headers.get("location")]).toEqual([307, "/reports"]);
      await expect.poll(log).toContain("/reports");
      expect(log()).not.toContain(app.inboxToken);
      expect(app.output()).not.toContain("proxy not trusted");
      await app.stop();
      const failed = await fetch(`${origin}/reports?token=${app.inboxToken}`);
      expect(failed.status).toBeGreaterThanOrEqual(502);
      expect((await fetch(`${origin}/static`)).status).toBeGreaterThanOrEqual(502);
      await expect.poll(log).toContain(program === "caddy" ? "http.log.error" : "connect() failed");
      expect(log()).not.toContain(app.inboxToken);
    });

    test("gives out scripts of earlier builds that it keeps, and of this build as the app does", async ({
      launch,
    }) => {
      const app = await launch({ TRUSTED_PROXIES: "loopback" });
      const kept = "/_next/static/chunks/of-an-earlier-build.js";
      mkdirSync(join(assets(), "_next/static/chunks"), { recursive: true });
      writeFileSync(join(assets(), kept), "earlier();");
      const { origin } = await startProxy([new URL(app.origin).host]);
      const answer = await fetch(`${origin}${kept}?dpl=earlier`);
      expect([answer.status, await answer.text()]).toEqual([200, "earlier();"]);
      expect(answer.headers.get("content-type")).toMatch(/javascript/);
      expect(answer.headers.get("cache-control")).toContain("immutable");
      expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
      const [own = ""] =
        /\/_next\/static\/[^"?]+\.js/.exec(await (await fetch(origin)).text()) ?? [];
      expect((await fetch(origin + own)).status).toBe(200);
      expect((await fetch(`${origin}/_next/static/never.js`)).status).toBe(404);
    });

    test("no visitor notices that one of two servers is killed", async ({ launch }) => {
      const env = { TRUSTED_PROXIES: "loopback" };
      const [one, two] = await Promise.all([launch(env), launch(env)]);
      const { origin } = await startProxy([one, two].map((app) => new URL(app.origin).host));
      const statuses = new Map<number, number>();
      const visit = async () => {
        const { status } = await fetch(`${origin}/server`);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      };
      for (let n = 0; n < 10; n++) await visit();
      const during = Array.from({ length: 20 }, visit);
      one.signal("SIGKILL");
      await Promise.all(during);
      await one.exited;
      for (let n = 0; n < 40; n++) await visit();
      expect(Object.fromEntries(statuses)).toEqual({ 200: 70 });
    });

    test("no visitor notices that a build takes over from another on one machine, and no report is lost", async ({
      launch,
      service,
    }) => {
      const env = {
        ...unitEnvironment(),
        DATA_DIR: join(folder, "data"),
        SENTRY_DSN: service.dsn,
        METRICS_TOKEN: "a-token-of-the-tests",
        RELAY_RATE: "100000",
      };
      const ports = [String(await freePort()), String(await freePort())];
      const start = (PORT = "") => launch({ ...env, PORT });
      const old = await start(ports[0]);
      const { origin } = await startProxy(
        ports.map((port) => `127.0.0.1:${port}`),
        "max_fails=0",
      );
      await service.behave("refuse");
      const statuses = new Map<number, number>();
      let isOver = false;
      const report = async () => {
        const body = envelopeOfSize(300);
        for (;;) {
          const answer = await fetch(`${origin}/api/relay`, { method: "POST", body });
          // As its page, which sends it again.
          if (answer.status !== 502) return answer;
        }
      };
      const visits = (async () => {
        while (!isOver) {
          const answers = [fetch(`${origin}/server`), report()];
          for (const { status } of await Promise.all(answers)) {
            statuses.set(status, (statuses.get(status) ?? 0) + 1);
          }
        }
      })();
      await expect.poll(() => statuses.get(200) ?? 0).toBeGreaterThan(20);
      const next = await start(ports[1]);
      const headers = { Authorization: `Bearer ${env.METRICS_TOKEN}` };
      const metrics = async () => (await fetch(next.url("/api/metrics"), { headers })).text();
      // The proxy has seen it.
      await expect.poll(metrics).toMatch(/route="\/(server|api\/\[tunnel\])"/);
      old.signal("SIGTERM");
      expect(await old.exited).toBe(0);
      const before = statuses.get(200) ?? 0;
      await expect.poll(() => statuses.get(200) ?? 0).toBeGreaterThan(before + 20);
      isOver = true;
      await visits;
      expect([...statuses.keys()]).toEqual([200]);
      // The other one is still down: as soon as this one answers again, all is well.
      next.signal("SIGKILL");
      await next.exited;
      for (let n = 0; n < 10; n++) {
        expect((await fetch(`${origin}/server`)).status).toBeGreaterThanOrEqual(502);
      }
      await start(ports[1]);
      const visit = async () => (await fetch(`${origin}/server`)).status;
      // It asks every 2 s.
      if (program === "caddy") await expect.poll(visit).toBe(200);
      for (let n = 0; n < 10; n++) expect(await visit()).toBe(200);
      await service.behave("ok");
      const posted = (statuses.get(200) ?? 0) / 2;
      await service.waitFor((s) => s.envelopes.length >= posted);
    });
  });
}

test("the systemd unit starts the standalone server, which a signal to its group ends with 0", {
  tag: ["@verify", "@only-shell"],
}, async () => {
  const port = await freePort();
  const env = { ...unitEnvironment(), DATA_DIR: join(folder, "data") };
  const command = valuesInUnit("ExecStart").join("").replaceAll("%i", String(port));
  const [program = "", ...args] = command.replace("/usr/bin/node", process.execPath).split(" ");
  const child = spawn(program, args, {
    cwd: resolve(variants.shell.folder),
    env,
    detached: true,
    stdio: "ignore",
  });
  started.push(child);
  const url = `http://127.0.0.1:${port}${variants.shell.env.NEXT_PUBLIC_BASE_PATH}/api/health/ready`;
  const ready = () =>
    fetch(url).then(
      ({ status }) => status,
      () => 0,
    );
  await expect.poll(ready, { timeout: 60_000 }).toBe(200);
  const closed = once(child, "close");
  process.kill(-(child.pid ?? 0), "SIGTERM");
  expect(await closed).toEqual([0, null]);
});

test("systemd finds no fault in the unit", { tag: ["@verify", "@only-shell"] }, () => {
  const file = join(folder, "signpost@.service");
  // It looks for the program, too.
  writeFileSync(file, unit.replace("/usr/bin/node", process.execPath));
  const { error, status, stderr } = spawnSync("systemd-analyze", ["verify", file]);
  test.skip(error !== undefined, "systemd is not installed: apt-get install systemd");
  expect([status, String(stderr)]).toEqual([0, ""]);
});
