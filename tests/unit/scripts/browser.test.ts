import { expect, test } from "vitest";
import { findBrowser } from "@/tests/support/browser";

const playwrights = "/cache/ms-playwright/chrome";

function machine(
  files: string[],
  platform: NodeJS.Platform = "linux",
  env: Record<string, string> = { PATH: "/home/me/bin:/usr/bin" },
) {
  return { platform, env, exists: (path: string) => files.includes(path) };
}

test("CHROMIUM_PATH goes before everything else", () => {
  const env = { PATH: "/usr/bin", CHROMIUM_PATH: "/opt/mine" };
  const found = findBrowser(machine(["/opt/mine", "/usr/bin/chromium"], "linux", env), playwrights);
  expect(found).toBe("/opt/mine");
});

test("CHROMIUM_PATH that names no file is refused, not passed over", () => {
  const env = { PATH: "/usr/bin", CHROMIUM_PATH: "/opt/mine" };
  expect(() => findBrowser(machine(["/usr/bin/chromium"], "linux", env), playwrights)).toThrow(
    'CHROMIUM_PATH is "/opt/mine": no such file',
  );
});

test("a Chromium goes before a Chrome, in the order of the PATH, and both before Playwright's own", () => {
  const files = ["/usr/bin/google-chrome", "/usr/bin/chromium", playwrights];
  expect(findBrowser(machine(files), playwrights)).toBe("/usr/bin/chromium");
  expect(findBrowser(machine([...files, "/home/me/bin/chromium"]), playwrights)).toBe(
    "/home/me/bin/chromium",
  );
  expect(findBrowser(machine(files.slice(2)), playwrights)).toBe(playwrights);
  expect(findBrowser(machine([]), playwrights)).toBeUndefined();
});

test("usual places count without a PATH", () => {
  expect(findBrowser(machine(["/snap/bin/chromium"], "linux", {}), playwrights)).toBe(
    "/snap/bin/chromium",
  );
  const mac = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";
  expect(findBrowser(machine([mac], "darwin", {}), playwrights)).toBe(mac);
  const windows = "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe";
  const env = { PROGRAMFILES: "C:\\Program Files" };
  expect(findBrowser(machine([windows], "win32", env), playwrights)).toBe(windows);
});
