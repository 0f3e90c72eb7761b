import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../support/free-port.js";

/**
 * Serves the build of the product (product.js), and uses it as visitors and its team do.
 *
 * @param {string} folder
 * @param {import("playwright/test").Page} page
 * @returns {Promise<string[]>} what went wrong in the page that did not go wrong on purpose
 */
export async function visit(folder, page) {
  const port = await freePort();
  const origin = `http://localhost:${port}`;
  const dataDir = mkdtempSync(join(tmpdir(), "signpost-"));
  const server = spawn(process.execPath, ["node_modules/next/dist/bin/next", "start"], {
    cwd: folder,
    stdio: "inherit",
    env: {
      ...process.env,
      PORT: String(port),
      DATA_DIR: dataDir,
      INBOX_TOKEN: "token-of-the-product",
    },
  });
  const exited = once(server, "exit");
  try {
    await untilReady(`${origin}/api/health/ready`);
    return await use(origin, page);
  } finally {
    server.kill("SIGTERM");
    await exited;
    rmSync(dataDir, { recursive: true });
  }
}

/** @param {string} url */
async function untilReady(url) {
  for (let tries = 0; tries < 600; tries += 1) {
    const response = await fetch(url).catch(() => undefined);
    if (response?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${url} does not answer`);
}

/**
 * @param {string} origin
 * @param {import("playwright/test").Page} page
 */
async function use(origin, page) {
  /** @type {string[]} */
  const faults = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) faults.push(message.text());
  });
  page.on("pageerror", (error) => {
    if (error.message !== "The stove is broken") faults.push(String(error));
  });
  const main = page.getByRole("main");
  await page.goto(origin);
  const margin = await page
    .locator("article")
    .evaluate((element) => getComputedStyle(element).marginTop);
  assert.equal(margin, "7px", "a utility class of Tailwind");
  await page.waitForFunction(() => document.querySelector("img")?.naturalWidth);
  await page.getByRole("button", { name: "Break" }).click();
  await main.getByRole("link", { name: "Waffles" }).click();
  await page.waitForFunction(() => document.title === "Waffles · Cookbook");
  const buildId = await page.evaluate(() => /** @type {any} */ (window).__NEXT_DATA__.buildId);
  const data = await fetch(`${origin}/_next/data/${buildId}/en/recipes/waffles.json`);
  assert.equal(
    data.headers.get("cache-control"),
    "private, max-age=30, stale-while-revalidate=270",
    "freshness of shared page data",
  );
  // Next answers a link to the page behind the login with its redirect.
  await page.getByRole("navigation").getByRole("link", { name: "Account" }).click();
  await page.waitForURL(`${origin}/sign-in`);
  await page.getByLabel("Name").fill("Ada");
  await page.getByLabel("Password").fill("only-for-tests");
  await main.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("Signed in as Ada").waitFor();
  await page.goto(`${origin}/de/search`);
  await page.getByLabel("Name des Rezepts").fill("gou");
  await page.getByRole("button", { name: "Suche" }).click();
  await main.getByRole("link").click();
  await page.waitForURL(`${origin}/de/recipes/goulash`);
  for (const path of ["/", "/feedback", "/search", "/recipes/goulash", "/de/sign-in"]) {
    const html = await (await fetch(origin + path)).text();
    assert.ok(
      !/Signpost|\[slug\]|data-fact="pattern"/.test(html.replace(/<script.*?<\/script>/gs, "")),
      path,
    );
  }
  // The inbox refreshes itself until the error is there.
  await page.goto(`${origin}/reports?token=token-of-the-product`);
  await page.getByText("The stove is broken").first().waitFor();
  return faults;
}
