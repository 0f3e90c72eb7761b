import type { Driver } from "@/lib/sentry/src/relay/outbox/driver";
import type { Schema } from "@/lib/sentry/src/relay/outbox/table-sets";

/** Tables for tests of drivers. A thing has a name that no other has. */
export const thingTables = [
  {
    name: "things",
    migrations: [
      {
        version: 7,
        statements: ({ types }) => [
          {
            text: `create table {things} (
              id ${types.id}, name text not null unique, number ${types.integer}, bytes ${types.bytes})`,
          },
        ],
      },
    ],
  },
] as const satisfies Schema;

/** Inserts a thing. */
export function thing(name: string | null, number: number | null = null, bytes?: Uint8Array) {
  const text = "insert into {things} (name, number, bytes) values ($1, $2, $3)";
  return { text, values: [name, number, bytes ?? null] };
}

/** The names of all things, in the order of their ids. */
export async function namesIn(driver: Driver): Promise<string[]> {
  const rows = await driver.read<{ name: string }>({
    text: "select name from {things} order by id",
  });
  return rows.map(({ name }) => name);
}
