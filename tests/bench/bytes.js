import { bareApp } from "./support/bare-app.js";
import { comparisonApp, config } from "./support/comparison-apps.js";
import { firstLoad } from "./support/first-load.js";
import { plainApp, threeLocales } from "./support/plain-app.js";
import { sentrySetup } from "./support/sentry-setup.js";
import { startNext, startSignpost } from "./support/servers.js";
import { buildSignpost } from "./support/signpost-build.js";
import { kilobytes, printTable, ratio } from "./support/table.js";

/** Every page that answers with a document of its own, and the error pages. */
const paths = [
  "/",
  "/de",
  "/ar",
  "/static",
  "/incremental/alpha",
  "/server",
  "/dynamic/a-1",
  "/catch-all/one/two",
  "/optional",
  "/slow?ms=0",
  "/failures",
  "/failures/client-render",
  "/failures/client-event",
  "/failures/client-promise",
  "/failures/server-data",
  "/failures/server-render",
  "/feedback",
  "/reports",
  "/no-such-page",
];

/** @typedef {import("./support/first-load.js").FirstLoad} FirstLoad */

/** First-load JavaScript and HTML of each page of Signpost, beside what others need for one. */
export async function bytes() {
  await buildSignpost();
  const bareFolder = await comparisonApp("bare", bareApp);
  const localesFolder = await comparisonApp("locales", {
    ...bareApp,
    ...config({ more: threeLocales }),
  });
  const plainFolder = await comparisonApp("plain", plainApp);
  const sentryFolder = await comparisonApp("sentry", { ...bareApp, ...sentrySetup });

  const loads = {
    "bare Next, one page": await weighRoot(await startNext(bareFolder)),
    "bare Next, one page in three languages": await weighRoot(await startNext(localesFolder)),
    "the same routes as plain Next pages": await weighRoot(await startNext(plainFolder)),
    "bare Next + documented Sentry set-up": await weighRoot(await startNext(sentryFolder)),
    ...(await weigh(await startSignpost({ INBOX_TOKEN: "bench" }), paths)),
  };
  const bare = loads["bare Next, one page"].script;
  printTable(
    ["page", "first-load JS, gzip", "over bare", "ratio", "HTML", "HTML, gzip"],
    Object.entries(loads).map(([name, { script, html, htmlGzip }]) => [
      name,
      kilobytes(script),
      `${script < bare ? "−" : "+"}${kilobytes(Math.abs(script - bare))}`,
      ratio(script / bare),
      kilobytes(html),
      kilobytes(htmlGzip),
    ]),
  );
}

/** @param {import("./support/servers.js").Server} server stopped afterwards */
async function weighRoot(server) {
  return /** @type {FirstLoad} */ ((await weigh(server, ["/"]))["/"]);
}

/**
 * @param {import("./support/servers.js").Server} server stopped afterwards
 * @param {string[]} paths
 */
async function weigh(server, paths) {
  try {
    /** @type {Record<string, FirstLoad>} */
    const loads = {};
    const opened = await fetch(`${server.origin}/reports?token=bench`, { redirect: "manual" });
    const Cookie = opened.headers
      .getSetCookie()
      .map((cookie) => cookie.split(";")[0])
      .join("; ");
    for (const path of paths) loads[path] = await firstLoad(server.origin, path, { Cookie });
    return loads;
  } finally {
    await server.stop();
  }
}
