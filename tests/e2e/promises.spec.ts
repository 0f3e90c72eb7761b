import type { NextRouter } from "next/router";
import { expect, type Page, test } from "playwright/test";
import { itemsSent, untilReportingRuns } from "../support/browser-reports";
import { hostileEnvironments } from "../support/hostile-environments";
import {
  expectScroll,
  isSameDocument,
  open as openPage,
  push,
  pushed,
  scrollTo,
} from "../support/navigation";
import { answer, type FaultProxy, startProxy } from "../support/proxy";
import { type Configuration, type Site, startPlainNext, startSignpost } from "./promises/sites";

/*
 * What Next and the browser promise: each scenario runs on a plain Next app and on Signpost with the
 * same pages, built by the same Next, so that a new version shows which of the two has moved.
 */

const sides = { "plain Next": startPlainNext, Signpost: startSignpost };

/** `npm run verify` asks Signpost in the first, `npm run promises` both in all. */
const configurations: Configuration[] = [
  { name: "default", command: "start", basePath: "", trailingSlash: false },
  { name: "base-path", command: "start", basePath: "/base", trailingSlash: true },
  { name: "development", command: "dev", basePath: "", trailingSlash: false },
];

const inHostile = (name: string) => `where ${name}, a page comes alive and a link leads on`;

/** Hostile environments in which the client of Next's development server does not start. */
const unlikeDevelopment = [
  "fetch is gone",
  "fetch can't be read",
  "Error is frozen",
  "beacons throw, locks and the browser's name are gone, and it says that it is offline",
];

/** What says nothing in a configuration, and why. */
const leftOut: Record<string, Record<string, string>> = {
  development: {
    "a page whose stylesheet is gone after a deployment is loaded whole": "nothing is deployed",
    "links in view to rewritten addresses are fetched ahead": "Next fetches nothing ahead",
    ...Object.fromEntries(
      unlikeDevelopment.map((name) => [inHostile(name), "Next needs it there"]),
    ),
  },
};

/** A site as it is seen through a proxy of the test's own. */
interface Front extends FaultProxy {
  trailingSlash: boolean;
  /** The whole URL of a path, with base path and the slash at its end where it has one. */
  at: (path: string) => string;
  /** The same without origin and base path, as the router gives it. */
  asPath: (path: string) => string;
}

async function startFront(
  site: Site | undefined,
  { basePath, trailingSlash }: Configuration,
): Promise<Front> {
  if (!site) throw new Error("There is no site");
  const front = await startProxy(site.origin);
  const asPath = (path: string) => (trailingSlash ? path.replace(/(?=\?|$)/, "/") : path);
  return { ...front, trailingSlash, asPath, at: (path) => front.origin + basePath + asPath(path) };
}

// All in one worker: the builds are made once.
test.describe.configure({ mode: "default" });
test.use({ viewport: { width: 800, height: 600 } });

type Scenario = (page: Page, front: Front) => Promise<void>;
const scenarios: [name: string, scenario: Scenario][] = [];

/** Defines a scenario for both apps, in all configurations. */
const promise = (name: string, scenario: Scenario) => scenarios.push([name, scenario]);

/**
 * Opens a page, and waits until the router knows its query: where an app has rewrites, it puts the page's
 * address back as it learns it, over what has been put there meanwhile.
 */
async function open(page: Page, url: string): Promise<void> {
  await openPage(page, url);
  await page.waitForFunction(() => window.__NEXT_DATA__.gssp || history.state?.options?._h === 1);
}

const heading = (page: Page, name: string) =>
  expect(page.getByRole("heading", { level: 1, name })).toBeVisible();

const click = (page: Page, name: string) => page.getByRole("link", { name, exact: true }).click();

/** Counts an event of the window from now on. */
async function count(page: Page, name: string): Promise<() => Promise<number>> {
  await page.evaluate((event) => {
    addEventListener(event, () => {
      const all = (window as unknown as { counted?: number }).counted ?? 0;
      Object.assign(window, { counted: all + 1 });
    });
  }, name);
  return () => page.evaluate(() => (window as unknown as { counted?: number }).counted ?? 0);
}

const documents = (front: FaultProxy) =>
  front.seen(/./).filter(({ headers }) => headers["sec-fetch-dest"] === "document").length;

promise(
  "a click on a hash link matches :target and fires hashchange, on Back too",
  async (page, front) => {
    await open(page, front.at("/p/long"));
    const changes = await count(page, "hashchange");
    await click(page, "To sec");
    await expect(page.locator("#sec:target")).toBeInViewport();
    await expect.poll(changes).toBe(1);
    await page.goBack();
    await expect.poll(changes).toBe(2);
    await expectScroll(page, 0);
    await expect(page.locator(":target")).toHaveCount(0);
  },
);

promise(
  "a hash link keeps the query that the app has put there by replaceState",
  async (page, front) => {
    await open(page, front.at("/p/long"));
    await page.evaluate(() => history.replaceState(history.state, "", "?tab=2"));
    await click(page, "To sec");
    await expect(page).toHaveURL(`${front.at("/p/long?tab=2")}#sec`);
    await expect(page.locator("#sec")).toBeInViewport();
  },
);

promise(
  "an id with a bare percent sign is a target, also at the second click and on Forward",
  async (page, front) => {
    const errors: Error[] = [];
    page.on("pageerror", (error) => errors.push(error));
    await open(page, front.at("/p/long"));
    for (const _time of [1, 2]) {
      await scrollTo(page, 0);
      await click(page, "To 100%");
      await expect(page.locator("[id='100%']")).toBeInViewport();
    }
    expect(await isSameDocument(page)).toBe(true);
    expect(errors).toEqual([]);
  },
);

promise(
  "a hash link opens a closed <details>, and reveals what is hidden until found",
  async (page, front) => {
    await open(page, front.at("/p/long"));
    await click(page, "To inside");
    await expect(page.locator("#inside")).toBeInViewport();
    await click(page, "To hidden");
    await expect(page.locator("#hidden")).toBeInViewport();
  },
);

promise("location.hash, then Back and Forward, comes back to the place", async (page, front) => {
  await open(page, front.at("/p/long"));
  await scrollTo(page, 120);
  await page.evaluate(() => {
    location.hash = "sec";
  });
  await expect(page.locator("#sec")).toBeInViewport();
  await page.goBack();
  await expectScroll(page, 120);
  await page.goForward();
  await expect(page.locator("#sec")).toBeInViewport();
});

promise("a hash link on the page for unknown addresses leaves it there", async (page, front) => {
  await page.goto(front.at("/nowhere"));
  // The router knows no address there that it could be ready for.
  await page.waitForFunction(() => {
    const { next } = window as unknown as { next?: { router?: object } };
    return Object.assign(window, { sameDocument: true }) && next?.router;
  });
  await page.evaluate(() => {
    const link = Object.assign(document.createElement("a"), { href: "#x", textContent: "To x" });
    document.body.prepend(link);
  });
  await click(page, "To x");
  await expect(page).toHaveURL(/#x$/);
  await page.evaluate(
    () => new Promise((done) => requestIdleCallback(() => done(null), { timeout: 500 })),
  );
  expect(await isSameDocument(page)).toBe(true);
  expect(await page.getByRole("heading", { level: 1 }).count()).toBe(1);
});

for (const [way, [last, ...cancelled]] of Object.entries({
  "by push": ["sec", "first", "second"],
  "by replace": ["sec", "first", "second"],
  "by next/link": ["second", "first"],
  // The browser's own: no router is asked.
  "by plain links": ["first"],
})) {
  promise(
    `hashes that overtake each other load no document, and the earlier are told as cancelled: ${way}`,
    async (page, front) => {
      await open(page, front.at("/p/long"));
      await page.evaluate((chosen) => {
        const { router } = (window as unknown as { next: { router: NextRouter } }).next;
        const ignore = () => {};
        const told: string[] = [];
        Object.assign(window, { told });
        router.events.on("routeChangeError", ({ cancelled }, path: string) =>
          told.push(`${path.split("#")[1]} ${cancelled ? "cancelled" : "failed"}`),
        );
        const follow = (names: string[]) => {
          for (const name of names) {
            [...document.querySelectorAll("a")].find((link) => link.textContent === name)?.click();
          }
        };
        const hashes = ["#first", "#second", "#sec"];
        if (chosen === "by push") for (const hash of hashes) router.push(hash).catch(ignore);
        if (chosen === "by replace") for (const hash of hashes) router.replace(hash).catch(ignore);
        if (chosen === "by next/link") follow(["Softly to first", "Softly to second"]);
        if (chosen === "by plain links") follow(["To sec", "To second", "To first"]);
      }, way);
      await expect(page).toHaveURL(`${front.at("/p/long")}#${last}`);
      await expect(page.locator(`#${last}`)).toBeInViewport();
      expect(await isSameDocument(page)).toBe(true);
      expect(documents(front)).toBe(1);
      const told = await page.evaluate(() => (window as unknown as { told: string[] }).told);
      expect(told).toEqual(cancelled.map((hash) => `${hash} cancelled`));
    },
  );
}

promise(
  "a plain link with path and hash to the present page; Back and Forward",
  async (page, front) => {
    await open(page, front.at("/p/long"));
    await scrollTo(page, 120);
    const link = page.getByRole("link", { name: "By path to sec" });
    await link.evaluate((element: HTMLElement) => element.click());
    await expect(page.locator("#sec")).toBeInViewport();
    await page.goBack();
    await expectScroll(page, 120);
    await page.goForward();
    await expect(page.locator("#sec")).toBeInViewport();
    expect(await isSameDocument(page)).toBe(true);
  },
);

promise(
  "a page that renews its data keeps the focus, and nothing is announced",
  async (page, front) => {
    await open(page, front.at("/p/server"));
    const rendered = page.getByTestId("rendered");
    const before = `${await rendered.textContent()}`;
    await page.getByRole("button", { name: "Renew" }).click();
    await expect(rendered).not.toHaveText(before);
    await expect(page.getByRole("button", { name: "Renew" })).toBeFocused();
    await page.evaluate(() => new Promise((done) => setTimeout(done, 150)));
    await expect(page.locator("#__next-route-announcer__")).toHaveText("");
  },
);

promise("a button that changes the query keeps the focus", async (page, front) => {
  await open(page, front.at("/p/server"));
  await page.getByRole("button", { name: "Filter" }).click();
  await expect(page.getByTestId("here")).toHaveText(front.asPath("/p/server?filter=on"));
  await expect(page.getByRole("button", { name: "Filter" })).toBeFocused();
});

for (const way of ["autofocus", "effect"]) {
  promise(
    `a page that focuses an element of its own as it mounts keeps it: ${way}`,
    async (page, front) => {
      await open(page, front.at("/p/long"));
      await click(page, `Link to ${way}`);
      await expect(page.getByRole("button", { name: "Mine" })).toBeFocused();
      await page.evaluate(
        () => new Promise((done) => requestIdleCallback(() => done(null), { timeout: 500 })),
      );
      await expect(page.getByRole("button", { name: "Mine" })).toBeFocused();
    },
  );
}

promise(
  "after a lightbox with a history entry of its own, on and Back leads back to the place",
  async (page, front) => {
    await open(page, front.at("/p/long"));
    await scrollTo(page, 120);
    await page.evaluate(() => history.pushState({ lightbox: true }, ""));
    await page.goBack();
    await expectScroll(page, 120);
    await scrollTo(page, 180);
    await push(page, "/p/server");
    await heading(page, "Server");
    await page.goBack();
    await heading(page, "Long");
    await expectScroll(page, 180);
  },
);

promise(
  "a lightbox's own entry is the app's own on Back and Forward, whatever its address",
  async (page, front) => {
    await open(page, front.at("/p/long"));
    const photo = front.at("/p/photo");
    await page.evaluate((url) => history.pushState({ lightbox: true }, "", url), photo);
    await page.goBack();
    await expect(page).toHaveURL(front.at("/p/long"));
    await page.goForward();
    await expect(page).toHaveURL(photo);
    await page.evaluate(
      () => new Promise((done) => requestIdleCallback(() => done(null), { timeout: 500 })),
    );
    await heading(page, "Long");
    expect(await isSameDocument(page)).toBe(true);
  },
);

promise(
  "a Back that beforePopState keeps for the app stays; on and Back leads back to the place",
  async (page, front) => {
    await open(page, front.at("/p/server"));
    await push(page, "/p/long");
    await heading(page, "Long");
    await push(page, "/p/long?two");
    await expect(page.getByTestId("here")).toHaveText(front.asPath("/p/long?two"));
    await page.evaluate(() => {
      const { router } = (window as unknown as { next: { router: NextRouter } }).next;
      router.beforePopState(() => {
        Object.assign(window, { asked: true });
        return false;
      });
    });
    await page.goBack();
    await page.waitForFunction(() => "asked" in window);
    await expect(page.getByTestId("here")).toHaveText(front.asPath("/p/long?two"));
    await page.evaluate(() => {
      const { router } = (window as unknown as { next: { router: NextRouter } }).next;
      router.beforePopState(() => true);
    });
    await scrollTo(page, 150);
    await push(page, "/p/server");
    await heading(page, "Server");
    await page.goBack();
    await heading(page, "Long");
    await expectScroll(page, 150);
  },
);

promise(
  "a renewed page that was seen after a reload is the renewed one, when come back to softly",
  async (page, front) => {
    const value = page.getByTestId("value");
    await open(page, front.at("/p/long"));
    await click(page, "Link to isr");
    await expect(value).toHaveText(/published/);
    const { pathname } = new URL(front.at("/p/isr"));
    const renewed = await (await fetch(front.at(`/api/p/renew?page=${pathname}`))).json();
    await page.reload();
    await expect(value).toHaveText(`published ${renewed}`);
    await click(page, "Link to long");
    await heading(page, "Long");
    await page.goBack();
    await expect(value).toHaveText(`published ${renewed}`);
  },
);

promise(
  "what a loader of next/dynamic rejects with for a reason of the app's reaches loading",
  async (page, front) => {
    await open(page, front.at("/p/parts"));
    await page.getByRole("textbox").fill("typed");
    // Development has a button of its own.
    await page.getByRole("button", { name: "Show the map" }).click();
    await expect(page.getByTestId("part")).toHaveText("this device has no maps");
    await expect(page.getByRole("textbox")).toHaveValue("typed");
    expect(await isSameDocument(page)).toBe(true);
  },
);

promise(
  "push to a dynamic route without its parameter rejects with a sentence, and stays",
  async (page, front) => {
    await open(page, front.at("/p/long"));
    const said = await pushed(page, "/p/dyn/[id]").catch((error: Error) => error.message);
    // With a slash at the end, Next takes the name for the parameter.
    if (front.trailingSlash) await heading(page, "Dynamic [id]");
    else expect(said).toMatch(/missing query values \(id\)/);
    expect(await isSameDocument(page)).toBe(true);
    expect(documents(front)).toBe(1);
  },
);

promise("a page whose data is refused each time is loaded whole each time", async (page, front) => {
  front.treat(/_next\/data/, answer(503));
  await open(page, front.at("/p/long"));
  for (const loads of [2, 3]) {
    await page.getByRole("button", { name: "Push server" }).click();
    await heading(page, "Server");
    expect(documents(front)).toBe(loads === 2 ? 2 : 4);
    if (loads === 2) await open(page, front.at("/p/long"));
  }
});

promise(
  "a page whose stylesheet is gone after a deployment is loaded whole",
  async (page, front) => {
    await open(page, front.at("/p/long"));
    front.treat(/\.css/, (exchange) => {
      if (documents(front) === 1) answer(404)(exchange);
      else exchange.pass();
    });
    await click(page, "Link to styled");
    await expect(page.getByRole("heading", { name: "Styled" })).toHaveCSS("color", "rgb(1, 2, 3)");
    expect(documents(front)).toBe(2);
  },
);

promise(
  "a link to an API route that answers with a download leaves the page as it is",
  async (page, front) => {
    await open(page, front.at("/p/long"));
    const download = page.waitForEvent("download");
    await click(page, "Link to download");
    expect((await download).suggestedFilename()).toBe("file.txt");
    // Longer than a bar waits until it shows.
    await page.evaluate(() => new Promise((done) => setTimeout(done, 400)));
    await expect(page.getByRole("progressbar")).toHaveCount(0);
    await heading(page, "Long");
    await click(page, "Link to other");
    await heading(page, "Other");
    expect(await isSameDocument(page)).toBe(true);
  },
);

promise(
  "draft mode shows the draft at once, and the published page after it is off",
  async (page, front) => {
    const value = page.getByTestId("value");
    const visit = async () => {
      await click(page, "Link to isr");
      await expect(value).toBeVisible();
      const shown = await value.textContent();
      await click(page, "Link to long");
      await heading(page, "Long");
      return shown;
    };
    await open(page, front.at("/p/long"));
    expect(await visit()).toMatch(/published/);
    await open(page, front.at(`/api/p/draft?to=${front.at("/p/long")}`));
    expect(await visit()).toBe("draft");
    expect(await visit()).toBe("draft");
    await open(page, front.at(`/api/p/draft?off&to=${front.at("/p/long")}`));
    expect(await visit()).toMatch(/published/);
  },
);

promise("links in view to rewritten addresses are fetched ahead", async (page, front) => {
  await open(page, front.at("/p/long"));
  const ahead = () =>
    front
      .seen(/_next\/data|_next\/static\/chunks/)
      .filter(({ headers }) => headers.purpose === "prefetch" || headers["sec-purpose"])
      .map(({ url, headers }) => (headers.purpose ? url.replace(/.*\/en/, "") : "script"));
  // With slashes at the end, Next's router knows no rewrite whose last part is a parameter.
  if (!front.trailingSlash) await expect.poll(ahead).toContain("/p/isr.json");
  await expect.poll(ahead).toContain("/p/query.json");
  // Those of the three pages, one of which is server-rendered, and of this one, for its own hashes.
  const scripts = front.trailingSlash ? 2 : 4;
  await expect.poll(async () => ahead().filter((one) => one === "script").length).toBe(scripts);
});

promise(
  "a static page that proxy.ts rewrites to knows its query after hydration",
  async (page, front) => {
    await open(page, front.at("/proxied"));
    await expect(page.getByTestId("query")).toHaveText('{"from":"proxy"}');
  },
);

promise("links to rewritten addresses lead there, and Back leads back", async (page, front) => {
  await open(page, front.at("/p/long"));
  await click(page, "Link to rewritten static");
  await heading(page, "Query");
  await expect(page).toHaveURL(front.at("/alias"));
  await page.goBack();
  await heading(page, "Long");
  await click(page, "Link to rewritten dynamic");
  await heading(page, "Dynamic 1");
  await expect(page).toHaveURL(front.at("/old/1"));
  // The second address is one that Next's router does not know then: see above.
  expect(documents(front)).toBe(front.trailingSlash ? 2 : 1);
});

for (const [name, prepare] of Object.entries(hostileEnvironments)) {
  promise(inHostile(name), async (page, front) => {
    await page.addInitScript(prepare);
    await open(page, front.at("/p/long"));
    await click(page, "Link to rewritten static");
    await expect(page).toHaveURL(front.at("/alias"));
  });
}

/** What Signpost alone promises. */
const reported: Scenario = async (page, front) => {
  const navigations = () =>
    itemsSent(front, "transaction").filter(({ contexts }) => contexts.trace.op === "navigation");
  const routes = () => navigations().map(({ transaction }) => transaction);
  await open(page, front.at("/p/long"));
  // With slashes at the end, Next's router does not know the dynamic one: see above. The server does.
  const unknown = new URL(front.at("/old/1")).pathname;
  const [first, second, known] = front.trailingSlash
    ? ["/alias", "/old/1", ["/p/query", "/p/long", unknown]]
    : ["/old/1", "/alias", ["/p/dyn/[id]", "/p/long", "/p/query"]];
  const follow = async (path: string) => {
    await click(page, `Link to rewritten ${path === "/alias" ? "static" : "dynamic"}`);
    await expect(page).toHaveURL(front.at(path));
  };
  await follow(first);
  await untilReportingRuns(front);
  await expect.poll(routes).toEqual(known.slice(0, 1));
  await page.goBack();
  await heading(page, "Long");
  await expect.poll(routes).toEqual(known.slice(0, 2));
  await follow(second);
  await expect.poll(routes).toEqual(known);
  const { status } = navigations().at(-1)?.contexts.trace ?? {};
  expect(status ?? "ok").toBe(front.trailingSlash ? "cancelled" : "ok");
};

for (const configuration of configurations) {
  for (const [side, start] of Object.entries(sides)) {
    const { name } = configuration;
    // What plain Next does changes with its version alone.
    const tag = name === "default" && side === "Signpost" ? "@verify" : "@promises";
    test.describe(`${name}, ${side}`, { tag }, () => {
      let site: Site | undefined;
      test.beforeAll(async () => {
        test.setTimeout(1_800_000);
        site = await start(configuration);
      });
      test.afterAll(() => site?.kill());

      const define = (title: string, scenario: Scenario) =>
        test(title, async ({ page }) => {
          const front = await startFront(site, configuration);
          await scenario(page, front);
          await front.stop();
        });
      for (const [title, scenario] of scenarios) {
        if (!leftOut[name]?.[title]) define(title, scenario);
      }
      if (side === "Signpost") {
        define(
          "a navigation to a rewritten address bears the route where it arrived, before the SDK and with it",
          reported,
        );
      }
    });
  }
}
