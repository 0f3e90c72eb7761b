import { describe, expect, it } from "vitest";
import { headerRules } from "@/lib/policy/headers";

describe("headerRules", () => {
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

  it("turns on what the document policy names, and else sends none", async () => {
    const [rule] = await headerRules(false, ["js-profiling"]);
    expect(rule?.headers).toContainEqual({ key: "Document-Policy", value: "js-profiling" });
    const [plain] = await headerRules(false, []);
    expect(plain?.headers.map(({ key }) => key)).not.toContain("Document-Policy");
  });
});
