import { test as base, expect, type Front } from "../support/app";
import { errorsSent, itemsSent, untilReportingRuns } from "../support/browser-reports";
import { hostileEnvironments } from "../support/hostile-environments";
import { dataOf } from "../support/navigation";
import { hold } from "../support/proxy";
import { pages } from "../support/routes";
import type { App } from "../support/server";
import { startWebKit, type WebKit } from "../support/webkit";

// Where engines differ, in WebKitGTK. See docs/browsers.md. Not explained: going back from another origin to a
// static page with a query, loaded anew, showed it at the top in some tries, with the app's scroll positions and
// without them. Without a query all tries kept the position.

interface Spied extends Window {
  next: {
    router: { isReady: boolean; events: unknown; push(url: string): Promise<boolean> };
  };
  faults: string[];
  prepare?: () => void;
  said?: string[];
  sameDocument?: boolean;
}

/** A tab in front of the app, with what every test does in it. */
class Tab {
  readonly #webkit: WebKit;
  readonly #front: Front;

  constructor(webkit: WebKit, front: Front) {
    this.#webkit = webkit;
    this.#front = front;
  }

  get evaluate() {
    return this.#webkit.evaluate;
  }

  get click() {
    return this.#webkit.click;
  }

  /** Loads a page, and waits until the router can take over. */
  async open(path: string): Promise<void> {
    await this.#webkit.open(this.#front.url(path));
    await this.ready();
  }

  ready(): Promise<void> {
    return this.until(() => {
      const spied = window as unknown as Spied;
      spied.sameDocument = spied.next?.router?.isReady || undefined;
      return spied.sameDocument;
    }, true);
  }

  async until<T>(read: () => T, expected: T): Promise<void> {
    // Between two documents there is none to ask.
    await expect.poll(() => this.evaluate(read).catch(() => undefined)).toEqual(expected);
  }

  async shows(path: string): Promise<void> {
    await expect.poll(() => this.fact("path")).toBe(path);
  }

  fact(name: string): Promise<string | undefined> {
    return this.evaluate(
      (key) => document.querySelector(`main [data-fact="${key}"]`)?.textContent ?? undefined,
      name,
    ).catch(() => undefined);
  }

  push(url: string): Promise<void> {
    return this.evaluate((to) => {
      void (window as unknown as Spied).next.router.push(to);
    }, url);
  }

  back(): Promise<void> {
    return this.evaluate(() => history.back());
  }

  async scrollTo(top: number): Promise<void> {
    await this.evaluate((y) => scrollTo({ top: y, behavior: "instant" }), top);
    await this.isAt(top);
  }

  isAt(top: number): Promise<void> {
    return this.until(() => Math.round(scrollY), top);
  }

  faults(): Promise<string[]> {
    return this.evaluate(() => (window as unknown as Spied).faults);
  }
}

const test = base.extend<{ tab: Tab; prepared: (run: () => void) => void }, { webkit: WebKit }>({
  webkit: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names out of a pattern.
    async ({}, use) => {
      const webkit = await startWebKit();
      await use(webkit);
      await webkit.stop();
    },
    { scope: "worker" },
  ],
  prepared: async ({ app, front }, use) => {
    let prepare = () => {};
    watchDocuments(app, front, () => prepare);
    await use((run) => {
      prepare = run;
    });
  },
  tab: async ({ webkit, front, prepared: _ }, use) => {
    // What the last test has stored is that of another origin.
    await webkit.resize(500, 340);
    await use(new Tab(webkit, front));
    await webkit.open("about:blank");
  },
});

/** Puts a script of the test's first into each page, as its policy allows. */
function watchDocuments(app: App, front: Front, preparation: () => () => void): void {
  front.treat(/^\/watch\.js$/, ({ res }) => {
    res.writeHead(200, { "content-type": "text/javascript", "cache-control": "no-store" });
    res.end(`(${watchFaults})();(${preparation()})()`);
  });
  front.treat(/^\/(?!_next|api|watch\.js)/, async ({ req, res, pass }) => {
    if (req.headers["sec-fetch-dest"] !== "document") return pass();
    const headers = { accept: "text/html", "user-agent": `${req.headers["user-agent"]}` };
    const answer = await fetch(app.origin + req.url, { headers, redirect: "manual" });
    const html = (await answer.text()).replace("<head>", '<head><script src="/watch.js"></script>');
    const own = Object.fromEntries(answer.headers);
    for (const name of ["content-encoding", "content-length", "transfer-encoding"])
      delete own[name];
    res.writeHead(answer.status, own).end(html);
  });
}

/** Collects what must not happen in a page. */
function watchFaults(): void {
  const faults: string[] = [];
  Object.assign(window, { faults });
  for (const name of ["error", "warn"] as const) {
    const write = console[name];
    console[name] = (...all) => {
      faults.push(`${name}: ${all.join(" ")}`);
      write.apply(console, all);
    };
  }
  addEventListener("error", ({ message }) => faults.push(`uncaught: ${message}`));
  addEventListener("unhandledrejection", ({ reason }) => faults.push(`rejected: ${reason}`));
  document.addEventListener("securitypolicyviolation", (event) =>
    faults.push(`policy violation: ${event.violatedDirective} ${event.blockedURI}`),
  );
}

test("no page writes an error or breaks its policy, loaded whole or by a link", async ({
  app,
  tab,
}) => {
  for (const { path } of pages) {
    await tab.open(path);
    await tab.shows(path);
    expect(await tab.faults(), path).toEqual([]);
  }
  await tab.open("/static");
  for (const { path } of pages) {
    await tab.click(`main a[href="${app.path(path)}"]`);
    await tab.shows(path);
  }
  expect(await tab.faults()).toEqual([]);
  expect(await tab.evaluate(() => (window as unknown as Spied).sameDocument)).toBe(true);
});

test("back and a reload bring back the position, also over a slow page", async ({ front, tab }) => {
  await tab.open("/server");
  await tab.scrollTo(180);
  await tab.push("/static");
  await tab.shows("/static");
  await tab.isAt(0);
  await tab.scrollTo(120);
  const held = hold();
  front.treat(dataOf("server"), held.treatment());
  await tab.back();
  await expect.poll(() => tab.fact("navigation")).toBe("start");
  await tab.isAt(120);
  held.release();
  await tab.shows("/server");
  await tab.isAt(180);
  await tab.evaluate(() => location.reload());
  await tab.until(() => (window as unknown as Spied).sameDocument ?? false, false);
  await tab.ready();
  await tab.isAt(180);
  await tab.evaluate(() => history.forward());
  await tab.shows("/static");
  await tab.isAt(120);
});

test("Back from a hash that the app has gone to leads to where one was", async ({ tab }) => {
  await tab.open("/static");
  await tab.scrollTo(60);
  await tab.push("/static#main");
  await tab.until(() => location.hash, "#main");
  await tab.until(() => document.activeElement?.id, "main");
  await tab.back();
  await tab.until(() => location.hash, "");
  await tab.isAt(60);
});

test("hash links that are followed quickly lead to the last, and it is the target", async ({
  tab,
}) => {
  await tab.open("/static");
  await tab.evaluate(() => {
    for (const name of ["one", "two", "three"]) {
      const link = Object.assign(document.createElement("a"), {
        href: `#${name}`,
        textContent: name,
      });
      document.body.prepend(link);
      const target = Object.assign(document.createElement("p"), { id: name, textContent: name });
      document.body.append(target);
    }
    for (const link of document.querySelectorAll<HTMLAnchorElement>("body > a")) link.click();
  });
  await tab.until(() => location.hash, "#one");
  await tab.until(() => document.querySelector(":target")?.id, "one");
  await tab.back();
  await tab.until(() => document.querySelector(":target")?.id, "two");
});

test("each page that is reached has the focus on its heading, and is announced once", async ({
  app,
  tab,
}) => {
  await tab.open("/static");
  await tab.evaluate(() => {
    const region = document.querySelector<HTMLElement>("#__next-route-announcer__");
    const said: string[] = [];
    Object.assign(window, { said });
    if (!region) throw new Error("There is no live region");
    new MutationObserver(() => {
      if (region.textContent && !region.hidden) said.push(region.textContent);
    }).observe(region, { childList: true, characterData: true, subtree: true });
  });
  const titles: string[] = [];
  for (const path of ["/incremental/alpha", "/server"]) {
    await tab.click(`main a[href="${app.path(path)}"]`);
    await tab.shows(path);
    await tab.until(() => document.activeElement?.matches("h1"), true);
    titles.push(await tab.evaluate(() => document.title));
    await expect.poll(() => tab.evaluate(() => (window as unknown as Spied).said)).toEqual(titles);
  }
});

test("a download ends nothing: the next link leads on, and what fails is reported", async ({
  app,
  front,
  tab,
}) => {
  await tab.open("/static");
  front.treat(/\/api\/echo\/file/, ({ res }) => {
    res.writeHead(200, { "content-disposition": "attachment; filename=a.txt" }).end("text");
  });
  await tab.evaluate((to) => location.assign(to), app.path("/api/echo/file"));
  await expect.poll(() => front.seen(/\/api\/echo\/file/)).toHaveLength(1);
  for (const path of ["/server", "/static"]) {
    await tab.click(`main a[href="${app.path(path)}"]`);
    await tab.shows(path);
  }
  expect(await tab.evaluate(() => (window as unknown as Spied).sameDocument)).toBe(true);
  await throwIn(tab, "after a download");
  await expect.poll(() => errorsSent(front, "after a download")).toHaveLength(1);
});

test("an error has the click that led to it, before the SDK and with it, and a rejection arrives", async ({
  front,
  tab,
}) => {
  await tab.open("/failures/client-event");
  const message = "Failed on purpose in an event handler";
  for (const count of [1, 2]) {
    await tab.click("main button");
    await expect.poll(() => errorsSent(front, message)).toHaveLength(count);
    const clicks = errorsSent(front, message)
      .at(-1)
      ?.breadcrumbs?.filter(({ category }) => category === "ui.click");
    expect(clicks, `error ${count}`).toHaveLength(count);
  }
  await tab.open("/failures/client-promise");
  await tab.click("main button");
  await expect.poll(() => errorsSent(front, "Failed on purpose in a promise")).toHaveLength(1);
});

test("a page that is left with reports under way loses none, and comes back as it was", async ({
  app,
  front,
  tab,
  webkit,
}) => {
  await tab.open("/static");
  await tab.scrollTo(60);
  await throwIn(tab, "on the way out");
  await webkit.open(`${app.origin}${app.basePath}/api/health/live`);
  await expect.poll(() => errorsSent(front, "on the way out")).toHaveLength(1);
  await expect.poll(() => itemsSent(front, "transaction").length).toBeGreaterThan(0);
  await tab.back();
  await tab.shows("/static");
  await tab.isAt(60);
  await throwIn(tab, "after coming back");
  await expect.poll(() => errorsSent(front, "after coming back")).toHaveLength(1);
  await tab.push("/server");
  await tab.shows("/server");
});

for (const [name, prepare] of Object.entries(hostileEnvironments)) {
  test(`where ${name}, a page comes alive, a link leads on, and an error arrives`, async ({
    app,
    front,
    tab,
    prepared,
  }) => {
    prepared(prepare);
    await tab.open("/static");
    await tab.click(`main a[href="${app.path("/server")}"]`);
    await tab.shows("/server");
    await throwIn(tab, "on a hostile page");
    if (!/^fetch (is gone|can't be read)/.test(name))
      await expect.poll(() => errorsSent(front, "on a hostile page")).toHaveLength(1);
    const faults = await tab.faults();
    expect(faults.filter((fault) => !/hostile/.test(fault))).toEqual([]);
  });
}

test("the visit is measured", async ({ front, tab }) => {
  await tab.open("/static");
  await untilReportingRuns(front);
});

/** Throws in the page, outside of everybody's hands. */
function throwIn(tab: Tab, message: string): Promise<void> {
  return tab.evaluate((text) => {
    setTimeout(() => {
      throw new Error(text);
    });
  }, message);
}
