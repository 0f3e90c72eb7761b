import type { Driver } from "@signpost/relay/store";
import { isReleaseName } from "../shared/environment/runtime.ts";

interface ReleasesOptions {
  /** The id of this server's build. */
  build: string;
  release: string;
  /** Of the store that this server shares with others, whatever they have built. */
  driver: () => Driver;
  /** Milliseconds of any clock that only goes forward. */
  now?: () => number;
}

/** A build that nobody knows may be one that was started a moment ago, or a stranger's invention. */
const minReadInterval = 10_000;
/** Far more than anybody deploys while pages of the first are open. */
const maxBuilds = 1_000;
const prefix = "release of build ";

/**
 * Which release each build is. A page knows its build, and may be answered by a server of another one,
 * during a deployment and after it. Where an operator names releases, servers tell each other by the
 * store which build theirs is; otherwise the id of a build is the name of its release.
 */
export class Releases {
  readonly #options: Required<ReleasesOptions>;
  #known = new Map<string, string>();
  #reading: Promise<void> | undefined;
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(options: ReleasesOptions) {
    this.#options = { now: () => performance.now(), ...options };
  }

  /**
   * Tells the servers of other builds, before the first page of this one can ask them.
   *
   * @throws {import("@signpost/relay/store").OutboxError}
   */
  async announce(): Promise<void> {
    const { build, release, driver } = this.#options;
    if (release === build) return;
    await driver().transaction([
      {
        text: `insert into {notes} (name, value) values ($1, $2)
          on conflict (name) do update set value = excluded.value`,
        values: [prefix + build, release],
      },
    ]);
  }

  /**
   * The release of what a page reports. Never rejects.
   *
   * @param build as the page names it; a page of an earlier version, and a form without a script, names
   *   none: this server's release counts for these
   * @returns nothing if the build is not known, and its id can't be a release
   */
  async ofPage(build: unknown): Promise<string | undefined> {
    if (typeof build !== "string") return this.#options.release;
    return (await this.of(build)) ?? (isReleaseName(build) ? build : undefined);
  }

  /**
   * Never rejects.
   *
   * @param build as a page names it. Anybody can have written it
   * @returns nothing for a build that no server of this store has told of: its release may be its id
   */
  async of(build: string): Promise<string | undefined> {
    const { build: own, release, now } = this.#options;
    if (build === own) return release;
    if (!this.#known.has(build) && now() - this.#readAt >= minReadInterval) {
      this.#readAt = now();
      this.#reading = this.#read().catch(() => {});
    }
    if (!this.#known.has(build)) await this.#reading;
    return this.#known.get(build);
  }

  async #read(): Promise<void> {
    const rows = await this.#options.driver().read<{ name: string; value: string }>({
      text: `select name, value from {notes} where name like $1 limit ${maxBuilds}`,
      values: [`${prefix}%`],
    });
    this.#known = new Map(rows.map(({ name, value }) => [name.slice(prefix.length), value]));
  }
}
