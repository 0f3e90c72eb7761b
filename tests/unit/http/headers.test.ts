import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { headerRules, sharedDataSources } from "@/lib/http/headers.js";

/** The patterns of the pages that have data which is the same for everybody. */
function pagesWithSharedData(): string[] {
  return readdirSync("pages", { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".tsx"))
    .filter((file) => readFileSync(`pages/${file}`, "utf8").includes("const getStaticProps"))
    .map((file) => `/${file.replace(/(\/index)?\.tsx$/, "")}`);
}

describe("headerRules", () => {
  it("lets the data of each page with getStaticProps be kept, and of no other", async () => {
    const expected = pagesWithSharedData().map(
      (pattern) => `/_next/data/:build/:locale${pattern.replace(/\[(\w+)\]/, ":$1")}.json`,
    );
    expect([...sharedDataSources].sort()).toEqual(expected.sort());
    const keeping = (await headerRules()).filter(({ headers }) =>
      headers.some(({ key }) => key === "Cache-Control"),
    );
    expect(keeping.map(({ source }) => source)).toEqual(sharedDataSources);
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
