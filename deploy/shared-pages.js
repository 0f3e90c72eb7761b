/*
 * What `res.revalidate()` renews on one server, all servers show within a second: an incremental page that
 * is revalidated on demand goes to the others through Postgres, which is asked twice a second. Pages never
 * wait for the database, and without one, or while it is down, all is as Next does it.
 *
 * Copy it beside next.config.js, and add there:
 *
 *   cacheHandler: `${import.meta.dirname}/shared-pages.js`,
 *
 * It takes DATABASE_URL, and makes the table `shared_pages` in DATABASE_SCHEMA once that is there: a row for
 * each page that was ever revalidated on demand in this build. Those of other builds go after a week.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fileSystemCache from "next/dist/server/lib/incremental-cache/file-system-cache.js";
import pg from "pg";

/**
 * A page as Next hands it to its cache: its key, what it is made of, and how long that is good for.
 *
 * @typedef {[key: string, page: any, options: any]} Entry
 * @typedef {(...entry: Entry) => Promise<void>} Take
 */

const everyMs = 500;
/** Of transactions that began earlier and ended later. */
const overlapMs = 5000;

// biome-ignore lint/style/noProcessEnv: it is loaded by Next, before and beside the app
const { DATABASE_URL: url, DATABASE_SCHEMA: schema, NEXT_PHASE: phase } = process.env;
const table = `"${schema || "signpost"}".shared_pages`;

/** Next's own cache: what the build has made, and in memory what came since. */
const { default: NextCache } = /** @type {any} */ (fileSystemCache);

// biome-ignore lint/style/noDefaultExport: Next wants one
export default class SharedPages extends NextCache {
  /** @type {SharedTable | undefined} */
  #shared;
  #isOnDemand = false;

  /** @param {any} context Next makes a cache for each request */
  constructor(context) {
    super(context);
    if (!url || phase === "phase-production-build" || !context.serverDistDir) return;
    this.#shared = sharedTable(context.serverDistDir);
    this.#shared.start((...entry) => super.set(...entry));
    // The secret of the build, which Next's own request of `res.revalidate()` has.
    const given = context._requestHeaders?.["x-prerender-revalidate"];
    this.#isOnDemand = given === this.#shared.secret;
  }

  /** @type {Take} */
  async set(...entry) {
    await super.set(...entry);
    if (this.#isOnDemand) await this.#shared?.publish(...entry);
  }
}

/**
 * One in a process, though Next loads this file several times.
 *
 * @param {string} serverDistDir
 * @returns {SharedTable}
 */
function sharedTable(serverDistDir) {
  const all = /** @type {any} */ (globalThis);
  all[Symbol.for("shared-pages")] ??= new SharedTable(join(serverDistDir, ".."));
  return all[Symbol.for("shared-pages")];
}

class SharedTable {
  #pool = new pg.Pool({
    connectionString: url,
    max: 1,
    connectionTimeoutMillis: 3000,
    query_timeout: 5000,
  });
  #build;
  /** @type {Promise<unknown> | undefined} */
  #created;
  #started = false;
  #failing = false;
  #lastAt = 0;
  /** When each page was renewed that was read. @type {Map<string, number>} */
  #seen = new Map();

  /** @param {string} distDir */
  constructor(distDir) {
    this.#build = readFileSync(join(distDir, "BUILD_ID"), "utf8");
    const manifest = JSON.parse(readFileSync(join(distDir, "prerender-manifest.json"), "utf8"));
    /** @type {string} */
    this.secret = manifest.preview.previewModeId;
    // An idle connection that breaks is made anew.
    this.#pool.on("error", () => {});
  }

  /** @param {Take} take puts a page that another server has renewed into this one's cache */
  start(take) {
    if (this.#started) return;
    this.#started = true;
    const readOn = async () => {
      await this.#read(take).then(
        () => this.#sayRecovered(),
        (error) => this.#say(error),
      );
      setTimeout(readOn, everyMs).unref();
    };
    void readOn();
  }

  /** Once, until a read works again. @param {{ code?: string }} error */
  #say(error) {
    // Before the app has made the schema, there is nothing to read.
    if (this.#failing || error.code === "3F000") return;
    this.#failing = true;
    // biome-ignore lint/suspicious/noConsole: Next loads it outside of the app, which has the log
    console.warn("shared-pages.js can't read what other servers have renewed:", error);
  }

  #sayRecovered() {
    // biome-ignore lint/suspicious/noConsole: as above
    if (this.#failing) console.warn("shared-pages.js reads again what other servers have renewed");
    this.#failing = false;
  }

  /**
   * Throws where the database is down, which Next logs: the page is renewed on this server alone.
   *
   * @type {Take}
   */
  async publish(key, page, options) {
    await this.#create();
    await this.#pool.query(
      `insert into ${table} (build, key, page, options, renewed_at)
        values ($1, $2, $3, $4, clock_timestamp())
        on conflict (build, key) do update set page = excluded.page, options = excluded.options,
          renewed_at = excluded.renewed_at`,
      [this.#build, key, JSON.stringify(page), JSON.stringify(options)],
    );
  }

  /** @param {Take} take */
  async #read(take) {
    await this.#create();
    const { rows } = await this.#pool.query(
      `select key, renewed_at from ${table}
        where build = $1 and renewed_at > $2 order by renewed_at`,
      [this.#build, new Date(this.#lastAt - overlapMs)],
    );
    for (const { key, renewed_at } of rows) {
      this.#lastAt = renewed_at.getTime();
      if (this.#seen.get(key) === this.#lastAt) continue;
      // Pages are large: one at a time, and each once.
      const found = await this.#pool.query(
        `select page, options from ${table} where build = $1 and key = $2`,
        [this.#build, key],
      );
      for (const { page, options } of found.rows) {
        await take(key, JSON.parse(page), JSON.parse(options));
      }
      this.#seen.set(key, this.#lastAt);
    }
  }

  #create() {
    this.#created ??= this.#pool
      .query(
        `create table if not exists ${table} (build text, key text, page text not null,
          options text not null, renewed_at timestamptz not null, primary key (build, key));
        delete from ${table} where renewed_at < now() - interval '7 days'
          and build <> '${this.#build}'`,
      )
      .catch((error) => {
        this.#created = undefined;
        throw error;
      });
    return this.#created;
  }
}
