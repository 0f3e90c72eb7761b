import { describe, expect, onTestFinished, test, vi } from "vitest";
import { dataUrlOf } from "@/components/inbox/use-fresh";
import { locales } from "@/lib/messages/locales";

describe.each(locales)("dataUrlOf in %s", (locale) => {
  const several = locales.length > 1;
  const folder = several ? `/${locale}` : "";

  test.each([
    ["/", several ? `/_next/data/b1/${locale}.json` : "/_next/data/b1/index.json"],
    ["/?a=1#x", several ? `/_next/data/b1/${locale}.json?a=1` : "/_next/data/b1/index.json?a=1"],
    ["/static/", `/_next/data/b1${folder}/static.json`],
    ["/dynamic/a%2Fb?x=/y/#z", `/_next/data/b1${folder}/dynamic/a%2Fb.json?x=/y/`],
  ])("the data of %s is at %s", (path, expected) => {
    expect(dataUrlOf("b1", { path, locale })).toBe(expected);
  });

  test("has the base path in front", async () => {
    vi.stubEnv("NEXT_PUBLIC_BASE_PATH", "/shell");
    vi.resetModules();
    onTestFinished(() => {
      vi.unstubAllEnvs();
      vi.resetModules();
    });
    const inbox = await import("@/components/inbox/use-fresh");
    expect(inbox.dataUrlOf("b1", { path: "/reports?page=2", locale })).toBe(
      `/shell/_next/data/b1${folder}/reports.json?page=2`,
    );
  });
});
