import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../support/free-port.js";

/**
 * Serves the build of the shop (shop.js), and uses it as visitors and its team do.
 *
 * @param {string} folder
 * @param {import("playwright/test").Page} page
 * @returns {Promise<string[]>} what went wrong in the page that did not go wrong on purpose
 */
export async function visit(folder, page) {
  const port = await freePort();
  const origin = `http://localhost:${port}`;
  const dataDir = mkdtempSync(join(tmpdir(), "signpost-"));
  const server = spawn(process.execPath, ["scripts/start.ts"], {
    cwd: folder,
    stdio: "inherit",
    env: {
      ...process.env,
      PORT: String(port),
      DATA_DIR: dataDir,
      INBOX_TOKEN: "token-of-the-shop",
      NEXTAUTH_URL: origin,
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
    if (error.message !== "The lamp is broken") faults.push(String(error));
  });
  await page.goto(origin);
  const margin = await page
    .locator("article")
    .evaluate((element) => getComputedStyle(element).marginTop);
  assert.equal(margin, "7px", "a utility class of Tailwind");
  await page.waitForFunction(() => document.querySelector("img")?.naturalWidth);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("Signed in: Ada").waitFor();
  await page.getByRole("button", { name: "Break" }).click();
  await page.getByRole("main").getByRole("link", { name: "Catalogue" }).click();
  await page.getByRole("main").getByRole("link", { name: "Product 2" }).click();
  await page.getByRole("heading", { name: "Lamp 2" }).waitFor();
  await page.waitForFunction(() => document.title === "Lamp 2 · Signpost");
  const buildId = await page.evaluate(() => /** @type {any} */ (window).__NEXT_DATA__.buildId);
  const data = await fetch(`${origin}/_next/data/${buildId}/catalogue.json`);
  assert.equal(
    data.headers.get("cache-control"),
    "private, max-age=30, stale-while-revalidate=270",
    "freshness of shared page data",
  );
  // The inbox refreshes itself until the error is there.
  await page.goto(`${origin}/reports?token=token-of-the-shop`);
  await page.getByText("The lamp is broken").first().waitFor();
  return faults;
}
