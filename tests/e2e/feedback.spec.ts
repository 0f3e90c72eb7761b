import type { Page } from "playwright/test";
import { expect, test } from "../support/app";
import { faultsOf } from "../support/envelope-schema";
import { open } from "../support/navigation";
import { fact } from "../support/routes";
import { textsOf } from "../support/texts";

/** Opens the feedback page and waits until the form does more than a plain one. */
async function openForm(page: Page, url: string): Promise<void> {
  await page.goto(url);
  // Only while there is no JavaScript is the page ready to give thanks by itself.
  await expect(page.locator("#thanks")).toHaveCount(0);
}

/** A message nobody else sends. */
function someMessage(): string {
  return `It broke: ${crypto.randomUUID()}`;
}

test("what is written on an error page goes to the service with the error's reference", {
  tag: "@only-shell",
}, async ({ launch, page, faults, service }) => {
  faults.allow(/status of 500|^answer 500 to /);
  const app = await launch({ SENTRY_DSN: service.dsn });
  await open(page, app.url("/failures/server-data?token=secret"));
  const reference = await fact(page, "reference").textContent();
  await page.getByLabel("Your message").fill("It broke");
  await page.getByLabel("Email (optional)").fill("ada@example.org");
  await page.getByRole("button", { name: "Send" }).click();
  await expect(page.getByText(textsOf("en").feedback.thanks)).toBeVisible();
  const [item] = await service.waitFor(({ items }) => {
    const found = items("feedback");
    return found.length > 0 && found;
  });
  expect(item?.payload).toMatchObject({
    contexts: {
      feedback: {
        message: "It broke",
        contact_email: "ada@example.org",
        associated_event_id: reference,
      },
    },
  });
  expect(item?.bytes.toString()).not.toContain("secret");
  const sent = service.envelopes.find(({ items }) => items.some((one) => one === item));
  expect(sent && faultsOf(sent.header, "feedback", item?.payload)).toEqual([]);
  // Left first, so that the page has sent what it still had to send.
  await page.goto("about:blank");
  await app.stop();
  expect(service.items("event")).toHaveLength(1);
  expect(service.items("feedback")).toHaveLength(1);
});

test("what checks a form is fetched when one is sent, and shows faults accessibly; then the visitor is thanked", async ({
  app,
  page,
}) => {
  await openForm(page, app.url("/feedback"));
  const asked = page.waitForRequest(/\/_next\/static\/.*\.js/);
  await page.locator("[name=email]").fill("nobody");
  await page.getByRole("button", { name: "Send" }).click();
  await asked;
  await expect(page.getByRole("alert").getByRole("link")).toHaveCount(2);
  await expect(page).toBeAccessible();
  await page.locator("[name=email]").fill("");
  await page.getByLabel("Your message").fill(someMessage());
  await page.getByRole("button", { name: "Send" }).click();
  await expect(
    page.getByRole("status").filter({ hasText: textsOf("en").feedback.thanks }),
  ).toBeFocused();
  await expect(page).toBeAccessible();
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("a form is refused with its faults, then thanked for", {
    tag: "@only-shell",
  }, async ({ app, page, faults }) => {
    faults.allow(/status of 422/);
    const message = someMessage();
    await page.goto(app.url("/feedback", "de"));
    await expect(page.getByText(textsOf("de").feedback.thanks)).toBeHidden();
    await page.getByLabel(textsOf("de").feedback.message).fill(message);
    await page.locator("[name=email]").fill(`"><b>nobody`);
    await page.getByRole("button", { name: textsOf("de").feedback.send }).click();
    await expect(page).toHaveURL(`${app.origin}${app.basePath}/api/feedback`);
    await expect(page.locator("html")).toHaveAttribute("lang", "de");
    await expect(page.getByRole("alert").getByRole("link")).toHaveCount(1);
    await expect(page.locator("[name=email]")).toHaveValue(`"><b>nobody`);
    await expect(page.locator("[name=email]")).toBeFocused();
    await expect(page.getByLabel(textsOf("de").feedback.message)).toHaveValue(message);
    // Styled by the build's own style sheets.
    await expect(page.getByRole("button", { name: textsOf("de").feedback.send })).toHaveCSS(
      "font-weight",
      "600",
    );
    await page.locator("[name=email]").fill("ada@example.org");
    await page.getByRole("button", { name: textsOf("de").feedback.send }).click();
    await expect(page).toHaveURL(app.url("/feedback#thanks", "de"));
    await expect(page.getByText(textsOf("de").feedback.thanks)).toBeVisible();
    await expect(page.getByLabel(textsOf("de").feedback.message)).toBeHidden();
  });

  test("an error page's form carries the reference along, also when it is refused first", {
    tag: "@verify",
  }, async ({ launch, page, faults, service }) => {
    faults.allow(/status of (422|500)|^answer 500 to /);
    const app = await launch({ SENTRY_DSN: service.dsn });
    await page.goto(app.url("/failures/server-data", "de"));
    const reference = (await fact(page, "reference").textContent()) ?? "";
    await page.getByRole("button", { name: "Senden" }).click();
    await expect(page.locator("[name=reference]")).toHaveValue(reference);
    const message = someMessage();
    await page.getByLabel("Ihre Nachricht").fill(message);
    await page.getByRole("button", { name: "Senden" }).click();
    await expect(page.getByText(textsOf("de").feedback.thanks)).toBeVisible();
    const item = await service.waitFor(({ items }) => items("feedback")[0]);
    expect(item.payload).toMatchObject({
      contexts: { feedback: { message, associated_event_id: reference } },
    });
  });
});
