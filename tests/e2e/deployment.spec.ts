import { expect, test } from "../support/app";
import { failedNavigationsSent, untilReportingRuns } from "../support/browser-reports";
import {
  dataOf,
  documents,
  expectStages,
  isSameDocument,
  linkTo,
  open,
  ready,
} from "../support/navigation";
import { withHeaders } from "../support/proxy";
import { fact } from "../support/routes";

const header = "x-nextjs-deployment-id";

test("assets, page data and reports name the deployment that the build was made for", {
  tag: "@only-shell",
}, async ({ launch, page }) => {
  // Another one at start has no say: the pages that were made ahead name the build's.
  const app = await launch({ NEXT_DEPLOYMENT_ID: "deployment-2" });
  const asked = page.waitForRequest(dataOf("server"));
  const html = (await (await open(page, app.url("/static")))?.text()) ?? "";
  const scripts = [...html.matchAll(/<script[^>]* src="([^"]+)"/g)].map(([, src]) => src);
  expect(scripts.length).toBeGreaterThan(3);
  for (const src of scripts) expect(src).toMatch(/\?dpl=deployment-1$/);
  await linkTo(page, app.path("/server")).click();
  await expectStages(page, "start history complete");
  expect(await isSameDocument(page)).toBe(true);
  const request = await asked;
  expect(request.url()).toContain("/_next/data/deployment-1/");
  expect(request.headers()).toMatchObject({ "x-deployment-id": "deployment-1" });
  expect((await request.response())?.headers()).toMatchObject({ [header]: "deployment-1" });
  const settings = await page.request.get(app.url("/api/relay/settings"));
  expect(await settings.json()).toMatchObject({ release: "deployment-1" });
});

test("an answer of another deployment is one hard navigation to the target for each click, and a report", {
  tag: "@only-shell",
}, async ({ app, front, page }) => {
  await open(page, front.url("/failures"));
  await untilReportingRuns(front);
  front.treat(dataOf("server"), withHeaders({ [header]: "deployment-2" }));
  for (const loads of [1, 2]) {
    await linkTo(page, app.path("/server")).click();
    await expect.poll(() => documents(front, app.path("/server")).length).toBe(loads);
    await ready(page);
    await expect(fact(page, "pattern")).toHaveText("/server");
    await expect.poll(() => failedNavigationsSent(front).length).toBe(loads);
  }
  expect(documents(front, app.path("/server"))).toHaveLength(2);
  expect(failedNavigationsSent(front)[0]).toMatchObject({ transaction: "/server" });
});
