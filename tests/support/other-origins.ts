import type { Page, Route } from "playwright/test";
import { allowedSources } from "@/lib/policy/policy";

/** What an origin has to answer at least, by the kind of what is asked for. */
const bodies: Record<string, { contentType: string; body: string }> = {
  script: { contentType: "text/javascript", body: "" },
  stylesheet: { contentType: "text/css", body: "" },
  image: { contentType: "image/svg+xml", body: '<svg xmlns="http://www.w3.org/2000/svg" />' },
  document: { contentType: "text/html", body: "<!doctype html><title>Other origin</title>" },
};
const other = { contentType: "application/json", body: "{}" };

/**
 * Answers in place of the other origins that the policy allows, with nothing. So the app's pages are
 * tested alone: no test fails because another origin does not answer, and none counts as a visit there.
 */
export async function answerForOtherOrigins(page: Page): Promise<void> {
  const sources = Object.values(allowedSources).flat();
  const origins = sources.filter((source) => /^https?:/.test(source)).map((url) => new URL(url));
  for (const { origin } of origins) await page.route(`${origin}/**`, answer);
}

async function answer(route: Route): Promise<void> {
  const request = route.request();
  const { origin = "*" } = await request.allHeaders();
  await route.fulfill({
    ...(bodies[request.resourceType()] ?? other),
    headers: {
      "Access-Control-Allow-Origin": origin,
      "Access-Control-Allow-Credentials": "true",
      "Access-Control-Allow-Headers": "*, Authorization, Content-Type",
    },
  });
}
