import { expect, type Front, test } from "../support/app";
import {
  addImage,
  errorEventsSent,
  treatLateScripts,
  untilReportingRuns,
} from "../support/browser-reports";
import { open, ready } from "../support/navigation";
import { hold } from "../support/proxy";

// The browser's words about what it blocks.
test.beforeEach(({ faults }) => faults.allow(/Content Security Policy|policy violation/));

const violationsSent = (front: Front) =>
  errorEventsSent(front).filter(({ exception }) => exception.values[0]?.type === "CSPViolation");

test("what the policy blocks is reported once for each directive and origin", async ({
  front,
  page,
}) => {
  const gate = hold();
  await treatLateScripts(front, "/static", gate.treatment());
  await open(page, front.url("/static"));
  for (const path of ["private/1?token=secret", "private/2"]) {
    await addImage(page, `https://early.example/${path}`);
  }
  gate.release();
  await untilReportingRuns(front);
  await addImage(page, "https://late.example/private/3?token=secret");
  await addImage(page, "https://early.example/private/4");
  await expect.poll(() => violationsSent(front)).toHaveLength(2);
  for (const [index, host] of ["https://early.example", "https://late.example"].entries()) {
    expect(violationsSent(front)[index]).toMatchObject({
      transaction: "/static",
      fingerprint: ["CSPViolation", "img-src", host],
      exception: {
        values: [{ value: `img-src blocked ${host}`, mechanism: { type: "signpost.policy" } }],
      },
    });
  }
  const bodies = front.seen(/\/api\/relay$/).map(({ body }) => body);
  expect(bodies.filter((body) => body.includes("secret"))).toEqual([]);
  // What this test writes to the console is a breadcrumb.
  const events = violationsSent(front).map(({ breadcrumbs, ...event }) => JSON.stringify(event));
  expect(events.filter((event) => event.includes("private"))).toEqual([]);
});

test("what is blocked before the app's scripts run, and on a page that is left, is reported", {
  tag: "@verify",
}, async ({ front, page }) => {
  const gate = hold();
  await treatLateScripts(front, "/static", gate.treatment());
  await page.route(front.url("/static"), async (route) => {
    const response = await route.fetch();
    const body = (await response.text()).replace("<body>", "<body><style>p { color: red }</style>");
    await route.fulfill({ response, body });
  });
  // The SDK is asked for before the page has loaded, which waits for it then.
  await page.goto(front.url("/static"), { waitUntil: "domcontentloaded" });
  await ready(page);
  // Playwright would hold the report back, and lose it with the page.
  await page.unroute(front.url("/static"));
  await page.goto("about:blank");
  await expect.poll(() => violationsSent(front)).toHaveLength(1);
  gate.release();
  // The tunnel gives it its fingerprint.
  expect(violationsSent(front)[0]).toMatchObject({
    transaction: "/static",
    exception: { values: [{ value: "style-src-elem blocked inline" }] },
  });
});
