import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { feedbackIntegration } from "@sentry/browser";
import { expect, test } from "vitest";

/** The hashes of docs/sentry.md, in the order in which the widget adds its styles. */
const documented = readFileSync("docs/sentry.md", "utf8").match(/'sha256-[^']+'/g);

test("docs/sentry.md allows the styles of Sentry's feedback widget, and no others", async () => {
  const feedback = feedbackIntegration({ colorScheme: "system", enableScreenshot: false });
  feedback.createWidget();
  const dialog = await feedback.createForm();
  dialog.appendToDom();
  const { shadowRoot } = document.querySelector("#sentry-feedback") as HTMLElement;
  const styles = [...(shadowRoot as ShadowRoot).querySelectorAll("style")];
  const hashes = styles.map(
    ({ textContent }) => `'sha256-${createHash("sha256").update(textContent).digest("base64")}'`,
  );
  expect(documented).toEqual([...new Set(hashes)]);
});
