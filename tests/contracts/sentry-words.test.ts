// @vitest-environment jsdom

import { htmlTreeAsString } from "@sentry/browser-utils";
import { expect, test } from "vitest";
import { clickedElements } from "@/packages/sentry/src/browser/first-load/activity";
import { elementPath } from "@/packages/sentry/src/browser/sdk/early-activity";

test("a clicked element has the SDK's words", () => {
  document.body.innerHTML = `
    <main id="top" class="a  b">
      <section class="wide" aria-label="Shop"><div><p><span title="x">
        <button id="buy" class="x" type="submit" name="buy">Buy</button>
      </span></p></div></section>
      <form id="f"><input name="id" alt="y"></form>
      <div><i class=""></i></div>
      <div class="${"long ".repeat(30)}end"><b></b></div>
      <svg class="icon"><path /></svg>
    </main>`;
  const words: string[] = [];
  addEventListener("click", (event) => words.push(elementPath(clickedElements(event))), true);
  for (const element of document.querySelectorAll("body, body *")) {
    element.dispatchEvent(new Event("click", { bubbles: true }));
    expect(
      words.at(-1),
      "packages/sentry/src/browser/sdk/early-activity.ts words an element as the SDK does",
    ).toBe(htmlTreeAsString(element));
  }
});
