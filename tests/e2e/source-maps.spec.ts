import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "../support/app";
import type { Variant } from "../support/server";
import type { Service } from "../support/service";
import { fail, failures, thrown } from "../support/thrown-lines";
import { variants } from "../support/variants.ts";

interface Frame {
  filename: string;
  lineno: number;
  function: string;
  in_app: boolean;
  pre_context?: string[];
  context_line?: string;
}

interface ErrorEvent {
  exception: { values: { value: string; stacktrace: { frames: Frame[] } }[] };
}

/** The frame in which an error was thrown, as the service last got it. */
function topFrame(service: Service, message: string): Promise<Frame> {
  return service.waitFor(({ items }) =>
    items("event")
      .map(({ payload }) => (payload as ErrorEvent).exception.values.at(-1))
      .findLast((exception) => exception?.value === message)
      ?.stacktrace.frames.at(-1),
  );
}

function dist(variant: Variant): string {
  return join(variants[variant].folder, ".next");
}

function buildOf(variant: Variant): string {
  return readFileSync(join(dist(variant), "BUILD_ID"), "utf8");
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

test("the service gets the line that threw an error, without an upload", {
  tag: "@verify",
}, async ({ launch, page, faults, service }) => {
  faults.allow(/Failed on purpose/);
  const app = await launch({ SENTRY_DSN: service.dsn });
  for (const failure of failures) {
    const { line, code, message } = thrown(failure);
    // An error does not wait for a map that a busy machine takes long to read. The next one of
    // its kind finds it read.
    await expect(async () => {
      service.envelopes.length = 0;
      await fail(page, app, failure);
      expect(await topFrame(service, message), failure.path).toMatchObject({
        filename: failure.file,
        lineno: line,
        function: failure.name,
        in_app: true,
        context_line: code,
      });
    }).toPass();
  }
});

test("the service gets errors as they are where resolving is off", { tag: "@verify" }, async ({
  launch,
  page,
  service,
}) => {
  const app = await launch({ SENTRY_DSN: service.dsn, SENTRY_RESOLVE_STACKS: "off" });
  for (const failure of failures.filter(({ inBrowser }) => !inBrowser)) {
    await fail(page, app, failure);
    const frame = await topFrame(service, thrown(failure).message);
    expect(frame.filename, failure.path).toMatch(/\.next\/server\/.+\.js$/);
  }
});
