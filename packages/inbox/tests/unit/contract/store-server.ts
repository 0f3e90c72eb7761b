import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import type { FrameResolver } from "@signpost/relay/source-maps";
import { InboxDestination } from "@/packages/inbox/src/destination";
import type { Destination } from "@/packages/relay/src/delivery/destination";
import { Dispatcher } from "@/packages/relay/src/delivery/dispatcher";
import { Service } from "@/packages/relay/src/delivery/service";
import { ServiceLimits } from "@/packages/relay/src/delivery/service-limits";
import { parseDsn } from "@/packages/relay/src/dsn";
import { Outbox } from "@/packages/relay/src/outbox/outbox";
import { PostgresDriver } from "@/packages/relay/src/outbox/postgres-driver";
import { SqliteDriver } from "@/packages/relay/src/outbox/sqlite-driver";
import type { TableSet } from "@/packages/relay/src/outbox/tables";

/*
 * A server that does nothing but store what is posted, answered 200 when it is on disk, and deliver it, for tests
 * in which servers of several builds share a store. tests/fixtures/stores/0.1.0/server.mjs is this file on the code
 * of 0.1.0.
 */

const noSource: FrameResolver = async (frames) =>
  frames.map(() => ({ resolved: false, late: false }));

/** Writes its port first, and ends in good order on SIGTERM. The environment names store and service. */
export function serveStore(tables: readonly TableSet[]): void {
  const { DATA_DIR, DATABASE_URL = "", DATABASE_SCHEMA = "", SENTRY_DSN = "" } = process.env;
  const log = () => {};
  const driver = DATA_DIR
    ? new SqliteDriver({ file: join(DATA_DIR, "outbox.db"), tables })
    : new PostgresDriver({ url: DATABASE_URL, schema: DATABASE_SCHEMA, tables, log });
  const outbox = new Outbox(driver, { maxBytes: 2 ** 28, maxAgeMs: 86_400_000, log });
  const dsn = parseDsn(SENTRY_DSN);
  const limits = new ServiceLimits(undefined, false);
  const destination: Destination = dsn
    ? new Service(dsn, { limits, log, setAside: () => {} })
    : new InboxDestination({ driver, release: "2.0.0", resolve: noSource, log });
  const dispatcher = new Dispatcher({ outbox, destination, limits, log });
  dispatcher.start();
  const server = http.createServer(async (request, response) => {
    const body = await buffer(request);
    const stored = outbox.append(body, "browser").then(
      () => 200,
      () => 503,
    );
    const status = await stored;
    response.shouldKeepAlive = server.listening;
    response.writeHead(status).end();
  });
  server.listen(0, "127.0.0.1", () => {
    process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
  });
  process.once("SIGTERM", async () => {
    server.close();
    server.closeIdleConnections();
    await once(server, "close");
    await dispatcher.stop(1500);
    await outbox.close();
    process.exit();
  });
}
