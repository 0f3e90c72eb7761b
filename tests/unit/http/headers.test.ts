import { getPathMatch } from "next/dist/shared/lib/router/utils/path-match";
import { describe, expect, it, test } from "vitest";
import { headerRules } from "@/lib/http/headers.js";

/** What the rules for page data say of the data at a path. */
async function freshnessOf(path: string): Promise<string | undefined> {
  const rules = (await headerRules()).filter(({ source }) => source.startsWith("/_next/data/"));
  const rule = rules.find(({ source }) => getPathMatch(source)(path));
  return rule?.headers.find(({ key }) => key === "Cache-Control")?.value;
}

describe("headerRules", () => {
  test.each([
    "/_next/data/build/en/static.json",
    "/_next/data/build/ar/incremental/a%20b.json",
    "/_next/data/build/de/optional.json",
    "/_next/data/build/de/optional/one/two.json",
  ])("let a browser keep %s for 30 s, and show it for 5 min while it is renewed", async (path) => {
    expect(await freshnessOf(path)).toBe("private, max-age=30, stale-while-revalidate=270");
  });

  test.each([
    "/_next/data/build/en/server.json",
    "/_next/data/build/server.json",
    "/_next/data/build/en/dynamic/static.json",
    "/_next/data/build/en/static/more.json",
    "/_next/data/build/en/reports.json",
  ])("say nothing of %s, which is made for one visitor", async (path) => {
    expect(await freshnessOf(path)).toBeUndefined();
  });

  it("lets a browser guess the type of a script in development only", async () => {
    const names = async (development: boolean) =>
      (await headerRules(development))[0]?.headers.map(({ key }) => key);
    expect(await names(false)).toContain("X-Content-Type-Options");
    expect(await names(true)).not.toContain("X-Content-Type-Options");
    expect(await names(true)).toContain("X-Frame-Options");
  });

  it("applies under every locale", async () => {
    for (const rule of await headerRules()) expect(rule.locale).toBe(false);
  });
});
