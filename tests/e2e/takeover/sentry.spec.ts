import type * as Sentry from "@signpost/sentry";
import type { Page } from "playwright/test";
import { expect, test } from "../../support/app";
import { open } from "../../support/navigation";
import { removeInbox } from "./remove";
import { signIn } from "./signed-in";
import { ProjectCopy } from "./takeover";

type Json = Record<string, unknown>;

declare const window: { Sentry: typeof Sentry };

const own = `  ignoreErrors: [/^Out of stock/],
  beforeSend: (event) => ({ ...event, tags: { ...event.tags, shop: "corner" } }),`;

const files = {
  "sentry.client.config.ts": `import * as Sentry from "@signpost/sentry";

Sentry.init({
${own}
  replaysSessionSampleRate: 1,
  replaysOnErrorSampleRate: 1,
  profileSessionSampleRate: 1,
  profileLifecycle: "trace",
  integrations: [
    Sentry.browserSessionIntegration(),
    Sentry.replayIntegration({ useCompression: false }),
    Sentry.feedbackIntegration({ colorScheme: "system", enableScreenshot: false }),
    Sentry.browserProfilingIntegration(),
  ],
});
`,
  "sentry.server.config.ts": `import * as Sentry from "@signpost/sentry";

Sentry.init({
${own}
  sessions: false,
});
`,
  "pages/api/order.ts": `import * as Sentry from "@signpost/sentry";
import type { NextApiRequest, NextApiResponse } from "next";

export default function handler(_req: NextApiRequest, res: NextApiResponse) {
  Sentry.logger.info(Sentry.logger.fmt\`Ordered \${3} lamps\`, { shop: "corner" });
  Sentry.metrics.count("orders", 1, { attributes: { shop: "corner" } });
  res.status(200).json({ ordered: true });
}
`,
  "pages/api/nightly.ts": `import * as Sentry from "@signpost/sentry";
import type { NextApiRequest, NextApiResponse } from "next";

export default async function handler(_req: NextApiRequest, res: NextApiResponse) {
  const schedule = { type: "crontab", value: "0 3 * * *" } as const;
  const removed = await Sentry.withMonitor("nightly", async () => 0, { schedule });
  res.status(200).json({ removed });
}
`,
  "pages/trial.tsx": `import * as Sentry from "@signpost/sentry";
import type { GetServerSideProps } from "next";
import { useEffect } from "react";
import { signedIn } from "@/lib/app/signed-in";

export default function Trial() {
  useEffect(() => {
    Object.assign(window, { Sentry: { ...Sentry } });
  }, []);
  return <h1 tabIndex={-1}>Trial</h1>;
}

export const getServerSideProps = (async ({ req, query }) => {
  const user = signedIn(req);
  Sentry.setTag("tenant", "acme");
  const data = { extra: { cart: { items: 3 }, token: "secret" }, tags: { area: "checkout" } };
  if (query.caught) Sentry.captureException(new Error(String(query.caught)), data);
  if (query.fail) throw new Error(String(query.fail));
  return { props: user };
}) satisfies GetServerSideProps;
`,
  "proxy.ts": `import * as Sentry from "@signpost/sentry";
import { NextResponse } from "next/server";

export function proxy() {
  Sentry.captureMessage("in the proxy");
  return NextResponse.next();
}

export const config = { matcher: "/api/order" };
`,
};

/** Those of the widget's very options. */
const widgetStyles = [
  "k/rwOSsvlNlNYj8OPfXXYaKUZm988AtmHk5Wa6ABsgE=",
  "f9yhTTl26JkovVZ6uHZAs2fIfeH7aZ8YCFuhDYpbBsI=",
  "G61BLZZF0fr2BDlAVwUrUSRuH8VwG0dfrT02Cjnd7fE=",
].map((hash) => `"'sha256-${hash}'"`);

test("what docs/sentry.md has recipes for passes the check, is built, and reaches the service, without the inbox too", {
  tag: "@verify",
}, async ({ page, context, launch, faults, service }) => {
  test.setTimeout(1_800_000);
  faults.allow(/status of 500|answer 500/);
  const copy = new ProjectCopy("sentry");
  removeInbox(copy);
  for (const [file, text] of Object.entries(files)) copy.write(file, text);
  signIn(copy);
  const policy = "lib/policy/policy.ts";
  copy.replace(policy, "AllowedSources = {}", `AllowedSources = {"style-src": [${widgetStyles}]}`);
  copy.replace(policy, /= \[\];$/, '= ["js-profiling"];');
  await copy.mustRun("format");
  await copy.mustPassCheck();
  await copy.mustRun("build");
  const app = await launch({ SENTRY_DSN: service.dsn }, copy.folder);
  const events = () => service.payloads<Json>("event");
  const thrown = (value: string) =>
    events().find((event) => JSON.stringify(event.exception)?.includes(`"${value}"`));
  const entries = (type: string) =>
    service.items(type).flatMap(({ payload }) => (payload as { items: Json[] }).items);

  const statusOf = async (path: string) => (await fetch(app.origin + path)).status;
  expect([await statusOf("/reports"), await statusOf("/feedback")]).toEqual([404, 200]);

  await context.addCookies([{ name: "user", value: "ann", url: app.origin }]);
  await open(page, `${app.origin}/trial?order=Peculiar`);
  await page.waitForFunction(() => window.Sentry);

  // A signed-in user, and beforeSend.
  await capture(page, "Out of stock: lamps");
  await capture(page, "in the browser");
  const both = { user: { id: "ann" }, tags: { shop: "corner" } };
  await expect.poll(() => thrown("in the browser")).toMatchObject(both);
  await page.request.get(`${app.origin}/trial?fail=Out of stock: chairs`);
  await page.request.get(`${app.origin}/trial?fail=on the server`);
  await expect.poll(() => thrown("on the server")).toMatchObject(both);

  // A caught error with data, and the tag of a tenant.
  const withData = {
    user: { id: "ann" },
    tags: { area: "checkout", tenant: "acme" },
    extra: { cart: { items: 3 }, token: "[Filtered]" },
  };
  await page.evaluate(() => {
    window.Sentry.setTag("tenant", "acme");
    const data = { extra: { cart: { items: 3 }, token: "secret" }, tags: { area: "checkout" } };
    window.Sentry.captureException(new Error("caught in the browser"), data);
  });
  await page.request.get(`${app.origin}/trial?caught=caught on the server`);
  for (const side of ["caught in the browser", "caught on the server"]) {
    await expect.poll(() => thrown(side)).toMatchObject(withData);
  }

  // Logs, metrics and check-ins of the server.
  await page.request.get(`${app.origin}/api/order`);
  await page.request.get(`${app.origin}/api/nightly`);
  await expect
    .poll(() => entries("log"))
    .toContainEqual(expect.objectContaining({ body: "Ordered 3 lamps", level: "info" }));
  await expect
    .poll(() => entries("trace_metric"))
    .toContainEqual(expect.objectContaining({ name: "orders", value: 1 }));
  await expect.poll(events).toContainEqual(expect.objectContaining({ message: "in the proxy" }));
  const checkIns = () => service.payloads("check_in");
  await expect
    .poll(checkIns)
    .toEqual([
      expect.objectContaining({ monitor_slug: "nightly", status: "in_progress" }),
      expect.objectContaining({ monitor_slug: "nightly", status: "ok" }),
    ]);

  // The widget, in its styles.
  await page.getByRole("button", { name: "Report a Bug" }).click();
  const form = page.getByRole("dialog");
  await expect(form).toHaveCSS("position", "fixed");
  await form.getByLabel("Name").fill("Ann");
  await form.getByLabel("Description").fill("It hangs");
  await form.getByRole("button", { name: "Send Bug Report" }).click();
  await expect
    .poll(() => service.payloads("feedback"))
    .toEqual([
      expect.objectContaining({
        contexts: expect.objectContaining({
          feedback: expect.objectContaining({ message: "It hangs", name: "Ann" }),
        }),
      }),
    ]);

  // Profile and replay.
  await page.evaluate(() =>
    window.Sentry.startSpan({ name: "work", forceTransaction: true }, () => {
      const end = performance.now() + 300;
      while (performance.now() < end) JSON.stringify([...Array(1000).keys()]);
    }),
  );
  await page.goto("about:blank");
  for (const type of ["replay_event", "replay_recording", "profile_chunk"]) {
    await expect.poll(() => service.items(type).length, { message: type }).toBeGreaterThan(0);
  }
  const replay = ["replay_recording", "replay_event"].flatMap((type) => service.items(type));
  const recorded = replay.map(({ bytes }) => bytes.toString()).join("\n");
  expect(recorded).toContain("/trial?order=[Filtered]");
  expect(recorded).not.toContain("Peculiar");
  expect(events().filter((event) => JSON.stringify(event).includes("Out of stock"))).toEqual([]);

  // Sentry's own sessions, and none that the server has counted.
  const sessions = service.payloads<Json>("session");
  const attrs = expect.objectContaining({ environment: "production" });
  expect(sessions).toContainEqual(expect.objectContaining({ init: true, attrs }));
  expect(sessions).toContainEqual(expect.objectContaining({ errors: 1, attrs }));
  await app.stop();
  expect(service.items("sessions")).toEqual([]);
});

async function capture(page: Page, message: string): Promise<void> {
  await page.evaluate((text) => void window.Sentry.captureException(new Error(text)), message);
}
