import { expect, test } from "../support/app";
import { errorsSent, throwInPage } from "../support/browser-reports";
import { hostileEnvironments } from "../support/hostile-environments";
import { linkTo, open } from "../support/navigation";
import { fact } from "../support/routes";

for (const [name, prepare] of Object.entries(hostileEnvironments)) {
  test(`where ${name}, a page comes alive, a link leads on, and an error arrives`, async ({
    app,
    front,
    faults,
    page,
  }) => {
    faults.allow(/hostile/);
    await page.addInitScript(prepare);
    await open(page, front.url("/static"));
    await linkTo(page, app.path("/server")).click();
    await expect(fact(page, "pattern")).toHaveText("/server");
    await throwInPage(page, "on a hostile page");
    // Sentry's SDK can't start there: the error is kept for a later page.
    if (name !== "fetch can't be read")
      await expect.poll(() => errorsSent(front, "on a hostile page")).toHaveLength(1);
    // No error of ours.
    expect(faults.list()).toEqual([]);
  });
}
