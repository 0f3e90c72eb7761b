import type { Driver } from "@/packages/relay/src/outbox/driver";
import type { Migration, TableSet } from "@/packages/relay/src/outbox/tables";

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
] as const satisfies readonly TableSet[];

/** The things of a newer build. */
export function thingsAfter(...migrations: Migration[]): TableSet[] {
  return [{ ...thingTables[0], migrations: [...thingTables[0].migrations, ...migrations] }];
}

/** What a server of before can go on beside. */
export const coloured: Migration = {
  version: 8,
  statements: ({ types }) =>
    [
      `alter table {things} add column colour ${types.integer} not null default 3`,
      "create index signpost_things_by_colour on {things} (colour)",
      "update {things} set colour = 4",
      `create table {colours} (number ${types.integer} primary key)`,
    ].map((text) => ({ text })),
};

/** What it can't: the same rows are in a table of another name. */
export const renamed: Migration = {
  version: 9,
  isBreaking: true,
  statements: () => [{ text: "alter table {things} rename to signpost_objects" }],
};

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

/** In the order of their ids. */
export async function coloursIn(driver: Driver): Promise<number[]> {
  const text = "select colour from {things} order by id";
  return (await driver.read<{ colour: number }>({ text })).map(({ colour }) => colour);
}
