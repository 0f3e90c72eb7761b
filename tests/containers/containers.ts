/*
 * Builds the Dockerfile with buildah and runs docker-compose.yml with podman, where neither Docker nor
 * the registries of the official images can be reached. As root, on Debian:
 *
 *   apt-get install buildah podman podman-compose runc netavark aardvark-dns iptables mmdebstrap
 *   npx node tests/containers/containers.ts
 *
 * Takes about five minutes, 3 GB below /var/tmp and port 3000. Removes its folder at the
 * end; empty firewall chains of podman stay.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

const standIns = `These stand in for what can't be had here:
  BuildKit                buildah, with runc
  docker compose          podman-compose and podman
  node:24-trixie-slim     Debian trixie by mmdebstrap, Node 24 from npm, this machine's npm
  postgres, caddy         Debian's packages in trixie, and an entrypoint of our own
  \${SENTRY_DSN:-}         an empty SENTRY_DSN: Debian's podman-compose does not know the form
  health checks on time   one call of podman healthcheck run
Builds use this machine's network, and what it trusts.`;

const folder = mkdtempSync("/var/tmp/signpost-containers-");
const project = resolve(import.meta.dirname, "../..");
const images = {
  node: "docker.io/library/node:stand-in",
  postgres: "docker.io/library/postgres:stand-in",
  caddy: "docker.io/library/caddy:stand-in",
  app: "localhost/signpost:tried",
};
const token = "token-for-trying-out";
const site = "http://127.0.0.1:3000";
const hardened = [
  ...["--read-only", "--tmpfs=/tmp", "--cap-drop=ALL"],
  "--security-opt=no-new-privileges",
];
const env = {
  ...process.env,
  CONTAINERS_CONF: join(folder, "containers.conf"),
  // buildah keeps its cache mounts there.
  TMPDIR: join(folder, "tmp"),
  // podman leaves its timers to systemd otherwise, and fails where there is none.
  DISABLE_HC_SYSTEMD: "true",
};
const storage = [`--root=${join(folder, "storage")}`, `--runroot=${join(folder, "run")}`];
let failed = 0;

/** Runs a program to its end. @throws {Error} with its output, if it fails */
function run(program: string, args: string[], cwd = project): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd,
    env,
    encoding: "utf8",
    maxBuffer: 1e8,
  });
  if (error) throw error;
  if (status !== 0)
    throw new Error(`${program} ${args.join(" ")}: ${status}\n${stdout}\n${stderr}`);
  return stdout.trim();
}

const podman = (...args: string[]) => run(join(folder, "podman"), args);

const compose = (...args: string[]) =>
  run("podman-compose", [
    ...["--podman-path", join(folder, "podman"), "-p", "signpost"],
    ...["-f", "docker-compose.yml", "-f", join(folder, "stand-ins.yml"), ...args],
  ]);

function build(cwd: string, args: string[]) {
  const isolation = ["--runtime=runc", "--isolation=oci", "--network=host", "--pull-never"];
  const limits = ["--ulimit=nofile=1024:1024", "--format=docker", "--layers"];
  run("buildah", [...storage, "bud", ...isolation, ...limits, ...args, "."], cwd);
}

function check(what: string, seen: string | number, wanted: string | number) {
  const holds = seen === wanted;
  if (!holds) failed += 1;
  console.log(
    `${holds ? "ok    " : "FAILED"}  ${what}: ${seen}${holds ? "" : ` and not ${wanted}`}`,
  );
}

/** Asks until the answer has this status, for at most a minute. */
async function statusOf(url: string, wanted: number): Promise<number> {
  const end = Date.now() + 60_000;
  for (;;) {
    const status = await fetch(url).then(
      (answer) => answer.status,
      () => 0,
    );
    if (status === wanted || Date.now() > end) return status;
    await pause(500);
  }
}

function prepare() {
  mkdirSync(env.TMPDIR);
  writeFileSync(
    env.CONTAINERS_CONF,
    `[containers]
default_ulimits = ["nofile=1024:1024", "nproc=4096:4096"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
[network]
network_backend = "netavark"
network_config_dir = "${join(folder, "networks")}"
`,
  );
  writeFileSync(join(folder, "podman"), `#!/bin/sh\nexec podman ${storage.join(" ")} "$@"\n`, {
    mode: 0o755,
  });
  writeFileSync(
    join(folder, "stand-ins.yml"),
    `services:
  one: { image: "${images.app}", environment: { SENTRY_DSN: "" } }
  two: { image: "${images.app}", environment: { SENTRY_DSN: "" } }
  postgres: { image: "${images.postgres}" }
  balancer: { image: "${images.caddy}" }
`,
  );
  const packages = join(folder, "base.tar");
  run("mmdebstrap", ["--quiet", "--variant=minbase", "trixie", packages]);
  copyFileSync(process.execPath, join(folder, "node"));
  // By npm's own place: "npm root" goes by that of the Node that runs it, which may have no npm.
  const npm = run("sh", ["-c", 'readlink -f "$(command -v npm)"']);
  cpSync(resolve(npm, "../.."), join(folder, "npm"), { recursive: true, dereference: true });
  copyFileSync("/etc/ssl/certs/ca-certificates.crt", join(folder, "authorities.crt"));
  for (const name of ["node.Containerfile", "services.Containerfile", "postgres-entrypoint.sh"]) {
    copyFileSync(join(import.meta.dirname, name), join(folder, name));
  }
  build(folder, ["-t", images.node, "-f", "node.Containerfile"]);
  for (const name of ["postgres", "caddy"] as const) {
    build(folder, ["-t", images[name], "--target", name, "-f", "services.Containerfile"]);
  }
}

/** Twice: the second build must have the maps of the first one. */
function buildApp() {
  for (const id of ["first", "second"]) {
    const from = `--build-arg=NODE_IMAGE=${images.node}`;
    build(project, [from, `--build-arg=NEXT_DEPLOYMENT_ID=${id}`, "-t", images.app]);
  }
  const inside = (command: string) =>
    podman("run", "--rm", "--network=none", images.app, "sh", "-c", command);
  const maps = "cd .next/source-maps && ls -d */ | xargs";
  check("builds whose maps the image has", inside(maps), "first/ second/");
  check("user", inside("id -u"), "1000");
  check("/data", inside("stat -c '%a %U:%g' /data"), "770 node:0");
  check(
    "what the build leaves out",
    inside("ls -a / /app | grep -c '^\\.env\\|^tests$' || true"),
    "0",
  );
  const write = "touch /app/a || touch /usr/a || touch /data/a /tmp/a && echo /data /tmp";
  for (const user of ["1000", "12345:0"]) {
    const seen = podman(
      "run",
      "--rm",
      ...hardened,
      `--user=${user}`,
      images.app,
      "sh",
      "-c",
      write,
    );
    check(`user ${user} may write to`, seen, "/data /tmp");
  }
}

/** The Dockerfile passes on a secret that was given; the build step itself runs without a service. */
function buildWithSecret() {
  const secret = join(folder, "secret");
  writeFileSync(secret, "the-secret");
  const step = run("sed", ["-n", "/^RUN --mount=type=secret/,/npm run build$/p", "Dockerfile"]);
  const shown = step.replace("npm run build", "sh -c 'printf %s \"$SENTRY_AUTH_TOKEN\" > /seen'");
  writeFileSync(join(folder, "secret.Containerfile"), `FROM ${images.node}\n${shown}\n`);
  const image = "localhost/secret";
  const given = `--secret=id=SENTRY_AUTH_TOKEN,src=${secret}`;
  build(folder, [given, "-t", image, "-f", "secret.Containerfile"]);
  check("secret in the build", podman("run", "--rm", image, "cat", "/seen"), "the-secret");
}

/** A platform's own user, of group 0. */
async function runAlone() {
  podman(
    "run",
    "-d",
    "--name=alone",
    ...hardened,
    "--user=12345:0",
    "-p127.0.0.1:3000:3000",
    images.app,
  );
  check("alone: live", await statusOf(`${site}/api/health/live`, 200), 200);
  check("alone: ready", await statusOf(`${site}/api/health/ready`, 200), 200);
  stop("alone");
}

function stop(container: string) {
  const start = performance.now();
  podman("stop", "--time=10", container);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  const code = podman("inspect", "--format={{.State.ExitCode}}", container);
  check(`${container}: exit code after ${seconds} s`, code, "0");
  podman("rm", container);
}

async function runServices() {
  compose("up", "-d");
  check("balancer: live", await statusOf(`${site}/api/health/live`, 200), 200);
  check("balancer: ready", await statusOf(`${site}/api/health/ready`, 200), 200);
  for (const name of ["one", "two"]) {
    const container = `signpost_${name}_1`;
    podman("healthcheck", "run", container);
    check(`${container}: user`, podman("exec", container, "id", "-u"), "1000");
    const write = podman("exec", container, "sh", "-c", "touch /app/a 2>&1 || true");
    check(`${container}: root`, /Read-only/.test(write) ? "read-only" : write, "read-only");
    const powers = podman("exec", container, "sed", "-n", "s/^CapEff:\\s*//p", "/proc/self/status");
    check(`${container}: capabilities`, powers, "0000000000000000");
  }
  for (const name of ["first", "second"]) check(`report ${name}`, await report(name), 200);
  // The balancer takes the servers in turn, so these are the inboxes of both.
  for (let i = 0; i < 2; i += 1) {
    const inbox = await inboxText();
    const shown = ["first", "second"].filter((name) => inbox.includes(`reported ${name}`));
    check("shown in the inbox", shown.join(" "), "first second");
  }
  stop("signpost_one_1");
  check("with one server: ready", await statusOf(`${site}/api/health/ready`, 200), 200);
  stop("signpost_two_1");
}

async function report(name: string): Promise<number> {
  const event = {
    event_id: crypto.randomUUID().replaceAll("-", ""),
    timestamp: Date.now() / 1000,
    platform: "javascript",
    exception: { values: [{ type: `Tried${name}`, value: `reported ${name}` }] },
  };
  const lines = [{ event_id: event.event_id }, { type: "event" }, event];
  const body = lines.map((line) => JSON.stringify(line)).join("\n");
  return (await fetch(`${site}/api/relay`, { method: "POST", body })).status;
}

/** The list of reports, with the cookie that the address with the token sets. */
async function inboxText(): Promise<string> {
  const entry = await fetch(`${site}/reports?token=${token}`, { redirect: "manual" });
  const cookie = entry.headers.getSetCookie().map((line) => line.split(";")[0]);
  return (await fetch(`${site}/reports`, { headers: { cookie: cookie.join("; ") } })).text();
}

function cleanUp() {
  const quietly = (...args: string[]) => spawnSync(join(folder, "podman"), args, { env });
  quietly("pod", "rm", "--all", "--force");
  quietly("rm", "--all", "--force", "--volumes", "--time=1");
  quietly("network", "prune", "--force");
  quietly("volume", "prune", "--force");
  spawnSync("umount", [join(folder, "storage/overlay")]);
  rmSync(folder, { recursive: true, force: true });
}

console.log(standIns);
try {
  prepare();
  buildApp();
  buildWithSecret();
  await runAlone();
  await runServices();
} catch (error) {
  failed += 1;
  console.error(error);
} finally {
  cleanUp();
}
console.log(failed ? `${failed} failed.` : "All hold.");
process.exitCode = failed ? 1 : 0;
