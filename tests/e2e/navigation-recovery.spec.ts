import { expect, type Front, test } from "../support/app";
import { expectStages, isSameDocument, linkTo, open, ready } from "../support/navigation";
import { answer, cutShort, drop, hang, hold, type Treatment, withHeaders } from "../support/proxy";
import { fact } from "../support/routes";

const dataOf = (page: string) => new RegExp(`/_next/data/[^/]+/en/${page}\\.json`);

/** The requests for a whole page. */
function documents(front: Front, path: string) {
  return front.seen(/./).filter(({ url, headers }) => {
    return url === path && headers["sec-fetch-dest"] === "document";
  });
}

/** Reports of what went wrong in a navigation, as they left the browser. */
function reports(front: Front): string[] {
  return front
    .seen(/\/api\/relay/)
    .map(({ body }) => body)
    .filter((body) => body.includes("signpost.navigation"));
}

/** Errors that left the browser, however they were noticed. */
function errorReports(front: Front): string[] {
  return front
    .seen(/\/api\/relay/)
    .map(({ body }) => body)
    .filter((body) => body.includes('"exception"'));
}

/** Waits until reporting has started, so that a report needs no more than to be sent. */
async function reporting(front: Front): Promise<void> {
  await expect.poll(() => front.seen(/\/api\/relay/).length).toBeGreaterThan(0);
}

const faults: Record<string, Treatment> = {
  "the server fails": answer(503, '{"error":"down"}'),
  "the connection is cut": drop,
  "the answer breaks off": cutShort,
  "a page of another's stands in the way": answer(
    200,
    "<!doctype html><h1>Log in</h1>",
    "text/html",
  ),
  "the data is empty": answer(200, "{}"),
  "the data is null": answer(200, "null"),
  "the build is gone": answer(404, "<!doctype html>Not found", "text/html"),
  "the data is of another build": withHeaders({ "x-nextjs-deployment-id": "another" }),
};

for (const [index, [fault, treatment]] of Object.entries(faults).entries()) {
  for (const target of [["/server", "/static"][index % 2] ?? ""]) {
    test(`${target} is loaded whole, once, and one report is made, when ${fault}`, async ({
      app,
      front,
      page,
      faults: watched,
    }) => {
      watched.allow(/./);
      const path = app.path(target);
      await open(page, front.url("/failures"));
      await reporting(front);
      front.treat(dataOf(target.slice(1)), treatment);
      await linkTo(page, path).click();
      await expect(fact(page, "pattern")).toHaveText(target);
      await ready(page);
      await expect(page).toHaveURL(front.url(target));
      await expect.poll(() => reports(front).length).toBe(1);
      expect(errorReports(front)).toHaveLength(1);
      expect(documents(front, path)).toHaveLength(1);
      await page.goBack();
      await expect(fact(page, "pattern")).toHaveText("/failures");
    });
  }
}

/** Fails until the browser asks for the whole page. */
function untilLoaded(front: Front, path: string, treatment: Treatment): Treatment {
  return (exchange) => (documents(front, path).length ? exchange.pass() : treatment(exchange));
}

for (const [fault, treatment] of Object.entries({
  "does not exist any more": answer(404),
  "does not come in 3.8 s": hang,
})) {
  test(`a page whose script ${fault} is loaded whole, once`, async ({
    app,
    front,
    page,
    faults: watched,
  }) => {
    watched.allow(/404|ERR_ABORTED|preload/);
    const path = app.path("/dynamic/a-1");
    await open(page, front.url("/static"));
    await reporting(front);
    front.treat(/\/_next\/static\/chunks\//, untilLoaded(front, path, treatment));
    await linkTo(page, path).click();
    await expect(fact(page, "pattern")).toHaveText("/dynamic/[id]");
    await ready(page);
    await expect.poll(() => reports(front).length).toBe(1);
    expect(documents(front, path)).toHaveLength(1);
  });
}

test("a page whose script was being fetched ahead, in vain, when it was asked for is loaded whole", async ({
  app,
  front,
  page,
  faults: watched,
}) => {
  watched.allow(/404/);
  const path = app.path("/dynamic/a-1");
  const scripts = /\/_next\/static\/chunks\/.*\.js/;
  const held = hold();
  await open(page, front.url("/static"));
  await reporting(front);
  front.treat(
    scripts,
    untilLoaded(front, path, async (exchange) => {
      if (exchange.req.headers["sec-fetch-dest"] !== "script") {
        return exchange.pass({ "cache-control": "no-store" });
      }
      await held.gate;
      answer(404)(exchange);
    }),
  );
  await linkTo(page, path).hover();
  await expect.poll(() => front.underWay(scripts)).toBe(1);
  await linkTo(page, path).click();
  await expectStages(page, "start");
  held.release();
  await expect(fact(page, "pattern")).toHaveText("/dynamic/[id]");
  expect(documents(front, path)).toHaveLength(1);
});

test("texts of a language that can't be had come with a full load of the page", async ({
  app,
  front,
  page,
  faults: watched,
}) => {
  watched.allow(/404/);
  const path = app.path("/static", "de");
  await open(page, front.url("/static#main"));
  await reporting(front);
  front.treat(/\/_next\/static\/chunks\//, untilLoaded(front, path, answer(404)));
  await linkTo(page, `${path}#main`).click();
  await ready(page);
  await expect(page.getByRole("link", { name: "Zum Inhalt" })).toBeAttached();
  await expect(page).toHaveURL(front.url("/static#main", "de"));
  expect(documents(front, path)).toHaveLength(1);
});

test("the page that is here already is loaded whole when it can't be had again", async ({
  app,
  front,
  page,
  faults: watched,
}) => {
  watched.allow(/503/);
  const path = app.path("/server");
  await open(page, front.url("/server"));
  const mended = front.treat(dataOf("server"), answer(503));
  for (const loads of [2, 3]) {
    await linkTo(page, path).click();
    await expect.poll(() => documents(front, path).length).toBe(loads);
    await ready(page);
  }
  mended();
  await linkTo(page, path).click();
  await expectStages(page, "start history complete");
  expect(documents(front, path)).toHaveLength(3);
});

test("going back to a page that can't be had loads it whole, also with a hash", async ({
  app,
  front,
  page,
  faults: watched,
}) => {
  watched.allow(/503/);
  await open(page, front.url("/server#main"));
  await linkTo(page, app.path("/static")).click();
  await expect(fact(page, "pattern")).toHaveText("/static");
  front.treat(dataOf("server"), answer(503));
  await page.goBack();
  await expect(fact(page, "pattern")).toHaveText("/server");
  await expect(page).toHaveURL(front.url("/server#main"));
  expect(await isSameDocument(page)).toBe(false);
  expect(documents(front, app.path("/server"))).toHaveLength(2);
});

test("a navigation that another took over fails without a word", async ({
  app,
  front,
  page,
  faults: watched,
}) => {
  watched.allow(/ERR_EMPTY_RESPONSE|ERR_ABORTED|Failed to fetch/);
  const held = hold();
  await open(page, front.url("/failures"));
  front.treat(dataOf("server"), async (exchange) => {
    await held.gate;
    drop(exchange);
  });
  await linkTo(page, app.path("/server")).click();
  await expectStages(page, "start");
  await expect.poll(() => front.underWay(dataOf("server"))).toBe(1);
  await linkTo(page, app.path("/static")).click();
  await expect(fact(page, "pattern")).toHaveText("/static");
  const failed = page.waitForEvent("requestfailed");
  held.release();
  await failed;
  await linkTo(page, app.path("/")).click();
  await expect(fact(page, "pattern")).toHaveText("/");
  expect(await isSameDocument(page)).toBe(true);
  expect(documents(front, app.path("/server"))).toHaveLength(0);
  expect(errorReports(front)).toHaveLength(0);
});

test("a page whose first data can't be had is tried three times, then loaded whole, when the server has made it", async ({
  app,
  front,
  page,
  faults: watched,
}) => {
  watched.allow(/503|Failed to load static props/);
  const slug = `never-${Date.now()}`;
  const path = app.path(`/incremental/${slug}`);
  front.treat(dataOf(`incremental/${slug}`), async (exchange) => {
    const made = async () => (await fetch(app.origin + path)).headers.get("x-nextjs-cache");
    await expect.poll(made).toBe("HIT");
    answer(503)(exchange);
  });
  await page.goto(front.url(`/incremental/${slug}`));
  await expect(fact(page, "path")).toHaveText(`/incremental/${slug}`);
  await expect.poll(() => reports(front).length).toBe(1);
  expect(documents(front, path)).toHaveLength(2);
  expect(front.seen(dataOf(`incremental/${slug}`))).toHaveLength(3);
});

test("a page whose first data can't be had after a full load either shows the error page", async ({
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
    .poll(() => errorReports(front).filter((body) => body.includes(`${reference}`)).length)
    .toBe(1);
  expect(documents(front, path)).toHaveLength(2);
  expect(front.seen(dataOf(`incremental/${slug}`))).toHaveLength(6);
  await linkTo(page, app.path("/static")).click();
  await expect(fact(page, "pattern")).toHaveText("/static");
});

test("an address that can't be decoded is left to the server, which answers 400", async ({
  app,
  front,
  page,
  faults: watched,
}) => {
  watched.allow(/400/);
  const path = app.path("/dynamic/%E0%A4%A");
  await open(page, front.url("/static"));
  await page.evaluate((href) => {
    const link = document.createElement("a");
    link.href = href;
    link.textContent = "malformed";
    document.querySelector("main")?.prepend(link);
  }, path);
  const answered = page.waitForResponse((response) => response.url() === front.origin + path);
  await page.getByRole("link", { name: "malformed" }).click();
  expect((await answered).status()).toBe(400);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  expect(documents(front, path)).toHaveLength(1);
});

test("a link to what is no page is left to the server, as often as it is followed, and is no error", async ({
  app,
  front,
  page,
  faults: watched,
}) => {
  watched.allow(/404/);
  const path = app.path("/nowhere/at/all");
  await open(page, front.url("/static"));
  await reporting(front);
  for (const times of [1, 2]) {
    await page.evaluate((to) => {
      const { router } = (window as unknown as { next: { router: { push(url: string): void } } })
        .next;
      router.push(to);
    }, "/nowhere/at/all");
    await expect.poll(() => documents(front, path).length).toBe(times);
    await ready(page);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Page not found");
  }
  await reporting(front);
  expect(errorReports(front)).toEqual([]);
});
