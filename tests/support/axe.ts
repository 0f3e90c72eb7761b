import axe, { type AxeResults } from "axe-core";
import { expect as base, type Page } from "playwright/test";

const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** Runs axe in the page. Evaluated through the debugger, since the policy lets no script in. */
async function violations(page: Page): Promise<AxeResults["violations"]> {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe.source);
  return page.evaluate(async (values) => {
    const results = await (window as unknown as { axe: typeof axe }).axe.run(document, {
      runOnly: { type: "tag", values },
      resultTypes: ["violations"],
    });
    return results.violations;
  }, tags);
}

export const expect = base.extend({
  /** No violation of WCAG 2.2 AA or of axe's best practices. */
  async toBeAccessible(page: Page) {
    const found = await violations(page);
    return {
      pass: found.length === 0,
      message: () =>
        found
          .map(({ id, help, nodes }) =>
            [
              `${id}: ${help}`,
              ...nodes.map((node) => `  ${node.html}\n  ${node.failureSummary}`),
            ].join("\n"),
          )
          .join("\n\n"),
    };
  },
});
