import pg from "pg";
import { oncePerMinute } from "@/lib/log";
import { type Log, OutboxError } from "../outbox";
import { codeOf, isConflict, isSchemaFault, toOutboxError } from "./database-faults";
import { schemaStatements, schemaVersion, type Tables, tablesIn } from "./schema";

export interface DatabaseOptions {
  /** `postgres://…` with the parameters that `pg` and libpq know. */
  url: string;
  /** The schema of the outbox's tables: a valid identifier. */
  schema: string;
  log: Log;
}

/** Runs one statement of a transaction. */
export type Run = <Row extends pg.QueryResultRow>(
  text: string,
  values?: unknown[],
) => Promise<Row[]>;

/** Connections of one server. One writes, one claims, one acknowledges; the others read pages. */
const maxConnections = 5;
const maxReading = 2;
const connectMs = 3000;
/** How long this process waits for one statement. The connection is closed then. */
const queryMs = 5000;
/** How long the database waits for a lock or works on a statement: it ends before `queryMs`. */
const databaseMs = 4000;
/** A server that is frozen in a transaction holds up the others no longer than this. */
const idleInTransactionMs = 5000;
/** Minimum time between two attempts to connect to a database that can't be used. */
const reconnectMs = 1000;
/** How often a transaction is run that conflicts with another one. */
const maxAttempts = 3;

const int8 = 20;
const types = {
  // Ids and sizes are safe integers.
  getTypeParser: (type: number, format: "text" | "binary" = "text") =>
    type === int8 ? Number : pg.types.getTypeParser(type, format as "text"),
};

/**
 * The settings of each transaction, not of the connection: behind PgBouncer in transaction mode, the
 * next transaction may be another client's. For the same reason no statement has a name.
 */
const begin = `begin isolation level read committed;
  set local lock_timeout = ${databaseMs};
  set local statement_timeout = ${databaseMs};
  set local idle_in_transaction_session_timeout = ${idleInTransactionMs};
  set local synchronous_commit = on`;

/**
 * The same for a statement that is a transaction of its own, as a common table expression. The
 * statement must refer to `settings.applied`. It can't limit its own time: that is measured from its
 * beginning, by what was set before.
 */
export const settings = `settings as materialized (
  select set_config('lock_timeout', '${databaseMs}', true)
      || set_config('synchronous_commit', 'on', true) as applied
)`;

/** See `GroupCommitOptions`: a statement costs more of the processor than what it stores. */
export const loadedIntervalMs = 40;

/**
 * The connections to Postgres. The schema is checked, created or migrated at first use, and checked
 * again after an error of it. While the database can't be used, calls are refused at once, and one a
 * second tries again.
 */
export class Database {
  readonly tables: Tables;
  readonly #options: DatabaseOptions;
  readonly #password: string;
  readonly #logRepeated: Log;
  readonly #pool: pg.Pool;
  #prepared: Promise<void> | undefined;
  #reading = 0;
  readonly #waitingToRead: (() => void)[] = [];
  #unusable: { error: OutboxError; at: number } | undefined;

  constructor(options: DatabaseOptions) {
    this.#options = options;
    this.tables = tablesIn(options.schema);
    this.#password = passwordIn(options.url);
    this.#logRepeated = oncePerMinute(options.log);
    this.#pool = new pg.Pool({
      connectionString: options.url,
      max: maxConnections,
      connectionTimeoutMillis: connectMs,
      query_timeout: queryMs,
      keepAlive: true,
      application_name: "signpost",
      // An idle connection does not keep a process alive.
      allowExitOnIdle: true,
      types,
    });
    // The pool removes a connection that breaks. Whoever uses it, or the next one, finds out why.
    this.#pool.on("error", () => {});
    this.#pool.on("connect", (client) => client.on("error", () => {}));
  }

  /** Runs one statement in a transaction. @throws {OutboxError} */
  query<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    return this.transaction((query) => query<Row>(text, values));
  }

  /**
   * Runs one statement that is a transaction of its own, with `settings`: one way to the database and
   * back instead of three. The database does not end it by itself, so this is for what runs often and
   * reads little.
   *
   * @throws {OutboxError}
   */
  queryAlone<Row extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<Row[]> {
    return this.#use(async (client) => (await client.query<Row>(text, values)).rows);
  }

  /**
   * The same for what pages ask. Few of these run at a time: where the database is slow, reports must
   * not wait for pages.
   */
  async read<Row extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<Row[]> {
    if (this.#reading < maxReading) this.#reading++;
    else await new Promise<void>((resolve) => this.#waitingToRead.push(resolve));
    try {
      return await this.query<Row>(text, values);
    } finally {
      const next = this.#waitingToRead.shift();
      if (next) next();
      else this.#reading--;
    }
  }

  /**
   * Runs statements in one transaction.
   *
   * @param run is called again if the transaction conflicts with another one
   * @throws {OutboxError}
   */
  transaction<T>(run: (query: Run) => Promise<T>): Promise<T> {
    return this.#use((client) => inTransaction(client, run));
  }

  /** The same, but all that was written is undone. */
  async rehearse(run: (query: Run) => Promise<unknown>): Promise<void> {
    await this.#use((client) => inTransaction(client, run, "rollback"));
  }

  async close(): Promise<void> {
    if (!this.#pool.ended) await this.#pool.end();
  }

  async #use<T>(run: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        this.#prepared ??= this.#prepare();
        await this.#prepared;
        return await this.#connected(run);
      } catch (error) {
        if (isSchemaFault(error)) this.#prepared = undefined;
        const retry = isConflict(error) || isSchemaFault(error);
        if (!retry || attempt === maxAttempts) throw toOutboxError(error, this.#password);
      }
    }
  }

  async #connected<T>(run: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const unusable = this.#unusable;
    if (unusable && performance.now() - unusable.at < reconnectMs) throw unusable.error;
    const client = await this.#connect();
    let failure: unknown;
    try {
      return await run(client);
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      // After an error the connection is closed: its state is unknown, and so is its database's.
      client.release(failure !== undefined);
    }
  }

  async #connect(): Promise<pg.PoolClient> {
    try {
      const client = await this.#pool.connect();
      this.#unusable = undefined;
      return client;
    } catch (cause) {
      throw this.#isUnusable(cause);
    }
  }

  /** Until `reconnectMs` after that, calls are refused with the same error. */
  #isUnusable(cause: unknown): OutboxError {
    const error = toOutboxError(cause, this.#password);
    if (error !== this.#unusable?.error) this.#unusable = { error, at: performance.now() };
    return error;
  }

  async #prepare(): Promise<void> {
    try {
      const version = await this.#connected((client) => this.#version(client));
      if (version === undefined || version < schemaVersion) {
        await this.#connected((client) => inTransaction(client, (query) => this.#migrate(query)));
      } else if (version > schemaVersion + 1) throw newerSchema(version);
    } catch (cause) {
      this.#prepared = undefined;
      throw this.#isUnusable(cause);
    }
  }

  /** @returns undefined if there are no tables */
  async #version(client: pg.PoolClient): Promise<number | undefined> {
    try {
      const { rows } = await client.query<{ value: string }>(this.#versionStatement);
      return Number(rows[0]?.value ?? 0);
    } catch (error) {
      if (isSchemaFault(error)) return undefined;
      if (codeOf(error) !== "42501") throw error;
      const { schema } = this.#options;
      throw this.#lacksRights(
        await this.#role(),
        (role) => `grant usage on schema "${schema}" to "${role}";
          grant select, insert, update, delete on all tables in schema "${schema}" to "${role}"`,
      );
    }
  }

  get #versionStatement(): string {
    return `select value from ${this.tables.notes} where name = 'schema-version'`;
  }

  async #migrate(query: Run): Promise<void> {
    const { schema } = this.#options;
    // One server at a time; the others then find it done.
    await query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [`signpost ${schema}`]);
    const [exists] = await query("select 1 where to_regclass($1) is not null", [this.tables.notes]);
    const [note] = exists ? await query<{ value: string }>(this.#versionStatement) : [];
    if (Number(note?.value ?? 0) >= schemaVersion) return;
    const [found] = await query<{ exists: boolean; role: string; creates: boolean }>(
      `select to_regnamespace($1) is not null as exists, current_user as role,
         coalesce(has_schema_privilege(to_regnamespace($1), 'create'),
           has_database_privilege(current_database(), 'create')) as creates`,
      [`"${schema}"`],
    );
    if (!found?.creates) {
      throw this.#lacksRights(found?.role ?? "", (role) =>
        found?.exists
          ? `grant usage, create on schema "${schema}" to "${role}"`
          : `create schema "${schema}" authorization "${role}"`,
      );
    }
    if (!found.exists) await query(`create schema "${schema}"`);
    await query(schemaStatements(this.tables));
    const event = note ? "outbox schema migrated" : "outbox schema created";
    this.#options.log("info", event, { schema, version: schemaVersion });
  }

  async #role(): Promise<string> {
    const run = (client: pg.PoolClient) =>
      client.query<{ role: string }>("select current_user as role");
    return (await this.#connected(run)).rows[0]?.role ?? "";
  }

  /** The role's name is for the log alone: anybody may read the error's message. */
  #lacksRights(role: string, sqlFor: (role: string) => string): OutboxError {
    const shape = (text: string) => text.replace(/\s+/g, " ");
    this.#logRepeated("error", "database role lacks rights", { run: shape(sqlFor(role)) });
    const sql = shape(sqlFor("the role in DATABASE_URL"));
    const advice = `The database role lacks rights. An owner of the database must run: ${sql}`;
    return new OutboxError("unwritable", advice);
  }
}

async function inTransaction<T>(
  client: pg.PoolClient,
  run: (query: Run) => Promise<T>,
  end: "commit" | "rollback" = "commit",
): Promise<T> {
  await client.query(begin);
  const result = await run(async (text, values) => (await client.query(text, values)).rows);
  await client.query(end);
  return result;
}

function newerSchema(version: number): OutboxError {
  const sentence = `The outbox's tables are of version ${version}, and this build knows version ${schemaVersion}: deploy a newer build.`;
  return new OutboxError("unwritable", sentence);
}

function passwordIn(url: string): string {
  try {
    return decodeURIComponent(new URL(url).password);
  } catch {
    return "";
  }
}
