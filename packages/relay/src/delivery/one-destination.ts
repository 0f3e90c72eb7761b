import { createHash } from "node:crypto";
import type { Dsn } from "../dsn.ts";
import type { Log } from "../log.ts";
import type { Driver, Value } from "../outbox/driver.ts";
import { place } from "../outbox/tables.ts";

/** Servers say each minute where they deliver. One that has said nothing for so long is gone. */
const goneMs = 150_000;
const prefix = "destination-";
/** No time is later. */
const latest = "9".repeat(13);

/**
 * Notices servers that share this outbox and deliver elsewhere, such as another app or stage in the same
 * schema: each delivers what the other has taken, to the wrong project.
 *
 * @param dsn where this server delivers, whatever its key; without one, to the inbox. It is not stored as it is
 * @returns a job for each minute, which logs an error when it finds one, and once when it is gone
 */
export function noticeOthers(driver: Driver, dsn: Dsn | undefined, log: Log): () => Promise<void> {
  const destination = dsn?.envelopeUrl ?? "";
  const hash = createHash("sha256").update(destination).digest("hex").slice(0, 16);
  const { now } = driver.dialect;
  let found = false;
  /** What others have said before may be of a server that this one replaces. */
  let since: Value | undefined;
  return async () => {
    const [[own] = [], others = []] = await driver.transaction([
      {
        text: `insert into {notes} (name, value) values ($1, cast(${now} as text))
          on conflict (name) do update set value = excluded.value returning value`,
        values: [prefix + hash],
      },
      {
        // As text, since other notes hold no numbers; these have as many digits for 260 years to come.
        text: `select name from {notes} where name like '${prefix}%' and name <> $1
          and value > $2 and value > cast(${now} - ${goneMs} as text)`,
        values: [prefix + hash, since ?? latest],
      },
    ]);
    since ??= own?.value;
    if (others.length > 0 === found) return;
    found = !found;
    if (!found) return log("info", "outbox has one destination again");
    const advice = `Each app and stage needs its own ${place}.`;
    log("error", "outbox is shared by servers that deliver to different services", { advice });
  };
}
