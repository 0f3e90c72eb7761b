import { readFileSync } from "node:fs";
import { buildCopy } from "../../support/build-copy.ts";
import { failures } from "../../support/thrown-lines";
import { policyOfExamples } from "./policy";

const fixtures = "tests/e2e/companions";

/** Some files that throw, in which each line stands further down than in the default build. */
export const moved = {
  lines: 2,
  failures: failures.filter(({ name }) => ["failInHandler", "getServerSideProps"].includes(name)),
};

/** Replays, compressed as Sentry's SDK does it by default, for visits that ask for one. */
const clientConfig = `import * as Sentry from "@signpost/sentry";

Sentry.init({
  replaysSessionSampleRate: location.search === "?replay" ? 1 : 0,
  integrations: [Sentry.replayIntegration()],
});
`;

/**
 * Makes the build of the variant `companions`, unless it is there: the default one with what a team
 * brings, and with moved lines.
 */
export async function buildCompanions(): Promise<void> {
  const sources = {
    "pages/companions.tsx": `${fixtures}/page.tsx`,
    "pages/look.module.css": `${fixtures}/look.module.css`,
    "pages/photo.tsx": `${fixtures}/photo.tsx`,
    "proxy.ts": `${fixtures}/proxy.ts`,
    "public/companion.js": `${fixtures}/script.js`,
    "router-badge.d.ts": `${fixtures}/router-badge.d.ts`,
    "node_modules/router-badge/package.json": `${fixtures}/router-badge/package.json`,
    "node_modules/router-badge/index.js": `${fixtures}/router-badge/index.js`,
    "pages/strangers.tsx": `${fixtures}/strangers.tsx`,
    "pages/api/checkout.ts": `${fixtures}/checkout.ts`,
  };
  const texts = moved.failures.map(({ file }) => [
    file,
    `${"// Moved.\n".repeat(moved.lines)}${readFileSync(`tests/fixtures/${file}`, "utf8")}`,
  ]);
  await buildCopy("companions", sources, {
    ...Object.fromEntries(texts),
    "sentry.client.config.ts": clientConfig,
    "lib/policy/policy.ts": policyOfExamples("document.documentElement.dataset.inline = 'ran'"),
  });
}
