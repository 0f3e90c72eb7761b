import { expect, test } from "../support/app";
import { errorEventsSent, failedNavigationsSent } from "../support/browser-reports";
import { dataOf, documents, push } from "../support/navigation";
import { answer } from "../support/proxy";
import { fact } from "../support/routes";

test("a page whose first data can't be had is tried three times, then loaded whole, when somebody else has had it made", {
  tag: "@only-shell",
}, async ({ app, front, page, faults: watched }) => {
  watched.allow(/503|Failed to load static props/);
  const slug = `never-${Date.now()}`;
  const path = app.path(`/incremental/${slug}`);
  front.treat(dataOf(`incremental/${slug}`), async (exchange) => {
    expect((await fetch(app.origin + exchange.req.url)).status).toBe(200);
    answer(503)(exchange);
  });
  await page.goto(front.url(`/incremental/${slug}`));
  await expect(fact(page, "path")).toHaveText(`/incremental/${slug}`);
  await expect.poll(() => failedNavigationsSent(front).length).toBe(1);
  expect(documents(front, path)).toHaveLength(2);
  expect(front.seen(dataOf(`incremental/${slug}`))).toHaveLength(3);
});

test("a page whose first data can't be had after a hard navigation either shows the error page", async ({
  app,
  front,
  page,
  faults: watched,
}) => {
  watched.allow(/503|Failed to load static props|client-side exception/);
  const slug = `neither-${Date.now()}`;
  const path = app.path(`/incremental/${slug}`);
  const fallback = await (await fetch(app.url(`/incremental/none-${Date.now()}`))).text();
  front.treat(new RegExp(`${path}$`), answer(200, fallback, "text/html"));
  front.treat(dataOf(`incremental/${slug}`), answer(503));
  await page.goto(front.url(`/incremental/${slug}`));
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Application error");
  await expect(fact(page, "reference")).toHaveText(/^[0-9a-f]{32}$/);
  const reference = await fact(page, "reference").textContent();
  await expect
    .poll(() => errorEventsSent(front).filter(({ event_id }) => event_id === reference).length)
    .toBe(1);
  expect(documents(front, path)).toHaveLength(2);
  expect(front.seen(dataOf(`incremental/${slug}`))).toHaveLength(6);
  await push(page, "/static");
  await expect(fact(page, "pattern")).toHaveText("/static");
});
