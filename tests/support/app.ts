import { test as base } from "playwright/test";
import { expect } from "./axe";
import { Faults } from "./faults";
import { answerForOtherOrigins } from "./other-origins";
import { type FaultProxy, startProxy } from "./proxy";
import { type App, type Environment, startApp, type Variant } from "./server";
import { type Service, startService } from "./service";

export interface AppOptions {
  variant: Variant;
}

interface WorkerFixtures extends AppOptions {
  /** One server for all tests of a worker that need nothing special of it. */
  app: App;
}

/** The app as it is seen through a proxy of the test's own. */
export interface Front extends FaultProxy {
  /** The whole URL in this variant of a path of the specification, in a locale. */
  url: App["url"];
}

interface TestFixtures {
  front: Front;
  /**
   * Starts a server of the test's own, with the given variables, which ends with the test. The
   * folder is that of the build, where it is not the variant's own.
   */
  launch: (env?: Environment, folder?: string) => Promise<App>;
  /** A stand-in of an error-reporting service, for servers that are launched with its `dsn`. */
  service: Service;
  /** What went wrong in `page`: the test fails on anything that it did not allow. */
  faults: Faults;
}

export { expect };

export const test = base.extend<TestFixtures, WorkerFixtures>({
  variant: ["default", { option: true, scope: "worker" }],
  app: [
    async ({ variant }, use) => {
      const app = await startApp(variant);
      await use(app);
      await app.kill();
    },
    { scope: "worker" },
  ],
  front: async ({ app, faults }, use) => {
    const proxy = await startProxy(app.origin);
    await use({ ...proxy, url: (path, locale) => proxy.origin + app.path(path, locale) });
    faults.end();
    await proxy.stop();
  },
  launch: async ({ variant, faults }, use) => {
    const apps: App[] = [];
    await use(async (env, folder) => {
      const app = await startApp(variant, env, folder);
      apps.push(app);
      return app;
    });
    faults.end();
    await Promise.all(apps.map((app) => app.kill()));
  },
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names out of a pattern.
  service: async ({}, use) => {
    const service = await startService();
    await use(service);
    await service.close();
  },
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names out of a pattern.
  faults: async ({}, use) => {
    const faults = new Faults();
    await use(faults);
    expect(faults.list(), "nothing goes wrong in the page").toEqual([]);
  },
  page: async ({ page, faults, variant }, use) => {
    await faults.watch(page);
    if (variant === "own") await answerForOtherOrigins(page);
    await use(page);
    faults.end();
  },
});
