// @vitest-environment jsdom

import { htmlTreeAsString } from "@sentry/browser-utils";
import { expect, test } from "vitest";
import { elementPath } from "@/lib/sentry/browser/first-load/element-path";

test("a clicked element has the SDK's words", () => {
  document.body.innerHTML = `
    <main id="top" class="a  b">
      <section class="wide" aria-label="Shop"><div><p><span title="x">
        <button id="buy" class="x" type="submit" name="buy">Buy</button>
      </span></p></div></section>
      <form id="f"><input name="id" alt="y"></form>
      <div data-sentry-component="Cart"><i class=""></i></div>
      <div class="${"long ".repeat(30)}end"><b></b></div>
      <svg class="icon"><path /></svg>
    </main>`;
  for (const element of document.querySelectorAll("*")) {
    expect(
      elementPath(element),
      "lib/sentry/browser/first-load/element-path.ts words an element as the SDK does",
    ).toBe(htmlTreeAsString(element));
  }
  expect(elementPath(document)).toBe(htmlTreeAsString(document));
});
