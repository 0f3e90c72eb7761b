import { randomBytes } from "node:crypto";
import type { Driver } from "./driver.ts";

const noteName = "store-secret";

/**
 * A random value that the servers of one store share, and nobody else knows. The first server that reads it
 * makes it. It stays as it is for as long as the store is there.
 */
export class StoreSecret {
  #reading: Promise<Buffer> | undefined;
  /** Undefined as long as nobody has read it: the store may be away. */
  known: Buffer | undefined;

  constructor(private readonly driver: Pick<Driver, "transaction">) {}

  /** @returns 32 bytes @throws {import("./driver.ts").OutboxError} */
  async read(): Promise<Buffer> {
    if (this.known) return this.known;
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    this.known = await this.#reading;
    return this.known;
  }

  async #read(): Promise<Buffer> {
    const made = randomBytes(32).toString("base64url");
    const [, [found] = []] = await this.driver.transaction([
      {
        text: "insert into {notes} (name, value) values ($1, $2) on conflict do nothing",
        values: [noteName, made],
      },
      { text: "select value from {notes} where name = $1", values: [noteName] },
    ]);
    return Buffer.from(String(found?.value), "base64url");
  }
}
