import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { MapThread } from "../../lib/stacks/map-thread";
import { resolveEvent } from "../../lib/stacks/resolve-event";
import { frameResolver } from "../../lib/stacks/resolve-frames";
import { variants } from "../../scripts/variants.js";
import { expect, test } from "../support/app";
import { errorsSent, untilReportingRuns } from "../support/browser-reports";
import { open } from "../support/navigation";
import type { Variant } from "../support/server";
import { startService } from "../support/service";

interface Frame {
  filename: string;
  lineno: number;
  function: string;
  in_app: boolean;
  context_line?: string;
}

interface ErrorEvent {
  exception: { values: { stacktrace: { frames: Frame[] } }[] };
}

function dist(variant: Variant): string {
  return join(variants[variant].folder, ".next");
}

/** Where a text stands in a file of the project. */
function lineOf(file: string, text: string): number {
  return (
    readFileSync(file, "utf8")
      .split("\n")
      .findIndex((line) => line.includes(text)) + 1
  );
}

function buildOf(variant: Variant): string {
  return readFileSync(join(dist(variant), "BUILD_ID"), "utf8");
}

/** The frame of an event in which the error was thrown, resolved with the maps of this build. */
async function topFrame(variant: Variant, event: unknown): Promise<Frame | undefined> {
  const thread = new MapThread({ folder: join(dist(variant), "source-maps") });
  try {
    const resolver = frameResolver(thread, buildOf(variant));
    const resolved = await resolveEvent(event as ErrorEvent, { timeoutMs: 20_000 }, resolver);
    return resolved.exception.values.at(-1)?.stacktrace.frames.at(-1);
  } finally {
    await thread.close();
  }
}

test("maps are kept, and neither they nor their addresses are served", async ({ app, variant }) => {
  const chunks = readdirSync(join(dist(variant), "static/chunks"));
  const kept = readdirSync(join(dist(variant), "source-maps", buildOf(variant), "static/chunks"));
  expect(kept.length).toBeGreaterThan(10);
  const scripts = chunks.filter((name) => name.endsWith(".js"));
  for (const name of scripts) {
    const url = `${app.origin}${app.basePath}/_next/static/chunks/${name}`;
    const text = await (await fetch(url)).text();
    expect(text, name).not.toContain("sourceMappingURL");
    // Shorter ones only list other scripts.
    if (text.length > 1000) expect(kept).toContain(`${name}.map.gz`);
    expect((await fetch(`${url}.map`)).status, name).toBe(404);
  }
  for (const path of ["source-maps", "../source-maps", "%2e%2e/source-maps"]) {
    const url = `${app.origin}${app.basePath}/_next/static/${path}/build.json`;
    expect((await fetch(url)).status, path).toBe(404);
  }
});

test("an error in the browser leads to the line that threw it", async ({
  front,
  page,
  faults,
  variant,
}) => {
  faults.allow(/Failed on purpose/);
  const message = "Failed on purpose in an event handler";
  await open(page, front.url("/failures/client-event"));
  await untilReportingRuns(front);
  await page.locator("main button").click();
  await expect.poll(() => errorsSent(front, message)).toHaveLength(1);
  const [event] = errorsSent(front, message);
  expect(event?.exception.values[0]?.stacktrace.frames.at(-1)?.filename).toContain("/chunks/");
  const file = "pages/failures/client-event.tsx";
  expect(await topFrame(variant, event)).toMatchObject({
    filename: file,
    lineno: lineOf(file, message),
    function: "failInHandler",
    in_app: true,
    context_line: expect.stringContaining(message),
  });
});

for (const { path, file, name } of [
  {
    path: "/failures/server-data",
    file: "pages/failures/server-data.tsx",
    name: "getServerSideProps",
  },
  {
    path: "/failures/server-render",
    file: "pages/failures/server-render.tsx",
    name: "ServerRender",
  },
  { path: "/api/failure", file: "pages/api/failure.ts", name: "fail" },
]) {
  test(`an error of ${path} leads to the line that threw it`, async ({ launch, variant }) => {
    const service = await startService();
    try {
      const app = await launch({ SENTRY_DSN: service.dsn, SENTRY_RESOLVE_STACKS: "off" });
      await fetch(app.url(path));
      await app.stop();
      const [event] = service.items("event").map(({ payload }) => payload);
      expect(await topFrame(variant, event)).toMatchObject({
        filename: file,
        lineno: lineOf(file, "throw new Error"),
        in_app: true,
        context_line: expect.stringContaining("throw new Error"),
        function: name,
      });
    } finally {
      await service.close();
    }
  });
}
