import type pg from "pg";
import type { Log } from "../log.ts";
import { OutboxError, type Row, type Statement } from "./driver.ts";
import { codeOf } from "./postgres-faults.ts";
import {
  allVersions,
  type EngineSet,
  nextStep,
  prefix,
  readVersions,
  type Step,
  type Version,
  withTableNames,
} from "./tables.ts";

/** How long this process waits for one statement. The connection is closed then. */
export const queryMs = 5000;
/** How long the database waits for a lock or works on a statement: it ends before `queryMs`. */
const databaseMs = 4000;
/** A server that is frozen in a transaction holds up the others no longer than this. */
const idleInTransactionMs = 5000;
/** How long it works on one statement of a migration, of which some read or write all of a table. */
const migrationMs = 60_000;

/**
 * Of each transaction, not of the connection: behind PgBouncer the next transaction may be another
 * client's. For the same reason no statement has a name.
 */
export const begin = `begin isolation level read committed;
  set local lock_timeout = ${databaseMs};
  set local statement_timeout = ${databaseMs};
  set local idle_in_transaction_session_timeout = ${idleInTransactionMs};
  set local synchronous_commit = on`;

/** The schema as a role finds it. Names are as SQL has them. */
interface SchemaFacts {
  /** Of this process. */
  role: string;
  hasSchema: boolean;
  /** Whether it may create the schema, or tables in it. */
  mayCreate: boolean;
  /** Of the tables; null if there are none. */
  owner: string | null;
  /** Those whose names begin as ours do. */
  tables: string[];
}

/** The tables in one schema of Postgres: they are looked at, created and migrated on a connection. */
export class PostgresTables {
  constructor(
    private readonly schema: string,
    private readonly log: Log,
  ) {}

  async execute(client: pg.PoolClient, { text, values }: Statement): Promise<Row[]> {
    const named = withTableNames(text, `"${this.schema}".`);
    return (await client.query<Row>(named, values && [...values])).rows;
  }

  /**
   * Creates what is missing, and brings the rest to the newest version.
   *
   * @param created names of the sets that are created by that
   */
  async migrate(
    client: pg.PoolClient,
    sets: readonly EngineSet[],
    created: Set<string>,
  ): Promise<void> {
    // Does not wait for another server that has these tables, and creates more.
    while ((await this.#look(client, sets)).step) await this.#takeStep(client, sets, created);
  }

  /** One server at a time; the others then find it done. */
  async #takeStep(
    client: pg.PoolClient,
    sets: readonly EngineSet[],
    created: Set<string>,
  ): Promise<void> {
    const { schema, log } = this;
    await client.query(begin);
    await this.execute(client, {
      text: "select pg_advisory_xact_lock(hashtextextended($1, 0))",
      values: [`signpost ${schema}`],
    });
    const { step, found } = await this.#look(client, sets);
    if (!step) return void (await client.query("commit"));
    const { name, from, to, statements } = step;
    if (from === undefined) await this.#createSchema(client, found);
    await client.query(`set local statement_timeout = ${migrationMs}`);
    for (const { text, values } of statements) {
      const query = {
        text: withTableNames(text, `"${schema}".`),
        ...(values && { values: [...values] }),
        query_timeout: migrationMs + queryMs,
      };
      await client.query(query).catch((error) => {
        throw from !== undefined && codeOf(error) === "42501"
          ? this.#lacksOwnersRights(found)
          : error;
      });
    }
    await client.query("commit");
    if (from === undefined) {
      created.add(name);
      log("info", "outbox tables created", { schema, tables: name });
    } else if (!created.has(name)) {
      log("info", "outbox tables migrated", { schema, tables: name, from, to });
    }
  }

  /** @throws {OutboxError} if the tables that are there must not be used */
  async #look(
    client: pg.PoolClient,
    sets: readonly EngineSet[],
  ): Promise<{ step: Step | undefined; found: SchemaFacts }> {
    const [found] = (await this.execute(client, {
      text: `select quote_ident(current_user) as role,
          to_regnamespace($1) is not null as "hasSchema",
          coalesce(has_schema_privilege(to_regnamespace($1), 'create'),
            has_database_privilege(current_database(), 'create')) as "mayCreate",
          (select quote_ident(pg_get_userbyid(relowner)) from pg_class
            where relnamespace = to_regnamespace($1) and relname = $3) as owner,
          array(
            select relname::text from pg_class where relnamespace = to_regnamespace($1)
              and relkind in ('r', 'p', 'v', 'm', 'f') and starts_with(relname::text, $2)
          ) as tables`,
      values: [`"${this.schema}"`, prefix, `${prefix}versions`],
    })) as unknown as [SchemaFacts];
    const { tables } = found;
    const versions = tables.includes(`${prefix}versions`)
      ? await this.#versions(client, found)
      : [];
    return { step: nextStep(sets, { tables, versions }), found };
  }

  #lacksOwnersRights({ role, owner }: SchemaFacts): OutboxError {
    const { schema } = this;
    return lacksRights(
      role,
      (to, of) => `grant usage, create on schema "${schema}" to ${to}; grant ${of} to ${to}`,
      owner ?? undefined,
    );
  }

  async #versions(client: pg.PoolClient, { role, tables }: SchemaFacts): Promise<Version[]> {
    try {
      return readVersions(await this.execute(client, allVersions));
    } catch (error) {
      if (codeOf(error) !== "42501") throw error;
      const { schema } = this;
      const named = tables.map((table) => `"${schema}".${table}`).join(", ");
      throw lacksRights(
        role,
        (to) => `grant usage on schema "${schema}" to ${to};
          grant select, insert, update, delete on ${named} to ${to}`,
      );
    }
  }

  async #createSchema(client: pg.PoolClient, found: SchemaFacts): Promise<void> {
    const { schema } = this;
    const { role, hasSchema, mayCreate } = found;
    if (!mayCreate) {
      throw lacksRights(role, (to) =>
        hasSchema
          ? `grant usage, create on schema "${schema}" to ${to}`
          : `create schema "${schema}" authorization ${to}`,
      );
    }
    if (!hasSchema) await client.query(`create schema "${schema}"`);
  }
}

/**
 * Anybody may read the error's message: it has no name of a role. The log has the cause.
 *
 * @param owner of the tables
 */
function lacksRights(
  role: string,
  sqlFor: (role: string, owner: string) => string,
  owner = "",
): OutboxError {
  const advice = (...roles: [string, string]) =>
    `The database role lacks rights. An owner of the database must run: ${sqlFor(...roles).replace(/\s+/g, " ")}`;
  return new OutboxError("unwritable", advice('"the role in the URL"', '"their owner"'), {
    cause: new Error(advice(role, owner)),
  });
}
