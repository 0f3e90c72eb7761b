import { expect, test, vi } from "vitest";
import type { ClientOptions } from "@/packages/sentry/src/browser/client-options";
import { startService } from "@/tests/support/service";

type Json = Record<string, unknown>;

/** As a team would have them in sentry.client.config.ts. */
const seen = vi.hoisted(() => ({ events: [] as Json[], crumbs: [] as Json[] }));

const options = {
  ignoreErrors: ["not this one"],
  initialScope: { tags: { team: "shop" } },
  beforeSend(event: Json) {
    seen.events.push(event);
    return (event.tags as Json | undefined)?.drop ? null : { ...event, tags: { seen: "yes" } };
  },
  beforeBreadcrumb(crumb: Json) {
    seen.crumbs.push(crumb);
    return crumb.category === "private" ? null : crumb;
  },
  integrations: [{ name: "Own", processEvent: (event: Json) => ({ ...event, dist: "own" }) }],
} as unknown as ClientOptions;

test("a team's options work, its hooks before private data is removed; all is as of its moment", async () => {
  Object.assign(window, { __NEXT_DATA__: { page: "/server", buildId: "b" } });
  const service = await startService();
  const { fetch } = globalThis;
  const settings = { release: "1", environment: "test", tracesSampleRate: 0 };
  vi.stubGlobal("fetch", async (url: string, init?: RequestInit) =>
    url.endsWith("/api/relay/settings?build=b")
      ? Response.json(settings)
      : fetch(`${service.url}/api/42/envelope/`, { ...init, keepalive: false }),
  );
  const { queueError, enter } = await import(
    "@/packages/sentry/src/browser/first-load/error-queue"
  );
  const { start } = await import("@/packages/sentry/src/browser/sdk/start");
  const Sentry = await import("@/packages/sentry/src/browser/functions/calls");
  Sentry.addBreadcrumb({ category: "private", message: "x" });
  Sentry.addBreadcrumb({ category: "open", message: "y" });
  queueError(new Error("not this one"));
  Sentry.captureMessage("dropped", { tags: { drop: true } });
  Sentry.captureMessage("kept, with /a?token=secret");
  Sentry.logger.info("before somebody signs in");
  Sentry.setUser({ id: "somebody" });
  Sentry.logger.info("after that");
  await start([], options);
  const [item] = await service.waitFor((s) => s.items("event").length > 0 && s.items("event"));
  expect(item?.payload).toMatchObject({
    message: "kept, with /a?token=[Filtered]",
    tags: { seen: "yes" },
    dist: "own",
    breadcrumbs: [{ category: "open", message: "y" }],
  });
  expect(seen.events.map(({ message }) => message)).toEqual([
    "dropped",
    "kept, with /a?token=secret",
  ]);
  expect(seen.events[1]).toMatchObject({ tags: { team: "shop" } });
  expect(seen.crumbs.map(({ category }) => category)).toContain("private");
  expect(item?.payload).not.toHaveProperty("user");
  await Sentry.flush(1000);
  expect(service.items("event")).toHaveLength(1);
  const [logs] = await service.waitFor((s) => s.items("log").length > 0 && s.items("log"));
  const { items = [] } = (logs?.payload ?? {}) as { items?: { body: string; attributes: Json }[] };
  expect(items.map(({ body, attributes }) => [body, attributes["user.id"]])).toEqual([
    ["before somebody signs in", undefined],
    ["after that", { value: "somebody", type: "string" }],
  ]);
  enter("loading", () => {});
  await service.close();
});
