import type { Value } from "@/lib/outbox/rows";

/** The values of one statement. */
export class Values {
  readonly all: Value[] = [];

  /** @returns what stands for it. Postgres takes no NUL, and no half of a surrogate pair */
  add(value: Value): string {
    const isText = typeof value === "string";
    return `$${this.all.push(isText ? value.replace(/[\0\p{Surrogate}]/gu, "\ufffd") : value)}`;
  }

  list(values: readonly Value[]): string {
    return values.map((value) => this.add(value)).join(", ");
  }
}
