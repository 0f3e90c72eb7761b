import type { CategorySet } from "@/lib/envelope/categories";
import { readEnvelope } from "@/lib/envelope/read-envelope";
import { OutboxError } from "./outbox";

/** @throws {OutboxError} `malformed` */
export function categoriesOf(envelope: Uint8Array): CategorySet {
  const read = readEnvelope(envelope);
  if ("fault" in read) throw new OutboxError("malformed", read.detail);
  return read.categories;
}
