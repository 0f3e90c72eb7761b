import { expect, type Front, test } from "../support/app";
import { linkTo, open, push, ready } from "../support/navigation";
import { answer } from "../support/proxy";
import { fact } from "../support/routes";
import type { App } from "../support/server";

/*
 * The private names of Next's router that docs/upgrading.md lists. Our own code may be in one script with
 * some of Next's, and must not lose them: there, they are known by the words around them.
 */
const inRoutersScript = Object.fromEntries(
  [
    ...["_getData", "sdc", "sbc", "isSsr", "handleRouteInfoError", "cancelled", "_inFlightRoute"],
    ...["scrollToHash", "_key", "__N", "ASSET_LOAD_ERROR"],
  ].map((name) => [name, new RegExp(`(?<![\\w$-])${name}(?![\\w$-])`, "g")]),
);
const anywhere: Record<string, RegExp> = {
  change: /(?<=this\.|async )change(?=\()/g,
  emit: /(?<=events\.)emit(?=\()|\bemit(?=\(\w+,\.{3})/g,
  loadRoute: /\bloadRoute(?=\(\w)/g,
  pageLoader: /(?<=(this|router)\.)pageLoader/g,
  routeLoader: /(?<=this\.)routeLoader|routeLoader(?=\.(on|when)Entrypoint)/g,
  set: /(?<=this\.)set(?=\(\w+,)|\bset(?=\(\w+,\w+,\w+\)\{return this\.state=)/g,
  "__next-route-announcer__": /(?<=id:")__next-route-announcer__/g,
};

/** Serves Next's scripts as those of another version, which has this name no more. */
function takeAway(front: Front, app: App, name: string): () => number {
  let count = 0;
  const rename = (found: string) => {
    count++;
    return `${found}OfAnotherVersion`;
  };
  front.treat(/\/chunks\/.*\.js/, async ({ req, res }) => {
    const script = await (await fetch(app.origin + req.url)).text();
    const isRouters = /scrollToHash\(/.test(script) && /beforePopState\(/.test(script);
    const pattern = anywhere[name] ?? (isRouters ? inRoutersScript[name] : undefined);
    res.writeHead(200, { "content-type": "application/javascript" });
    res.end(pattern ? script.replace(pattern, rename) : script);
  });
  return () => count;
}

for (const name of Object.keys({ ...inRoutersScript, ...anywhere })) {
  test(`pages are navigated, and recover, where Next's router has no ${name}`, {
    tag: name === "sbc" ? [] : "@verify",
  }, async ({ app, front, page, faults }) => {
    faults.allow(/503/);
    const count = takeAway(front, app, name);
    await open(page, front.url("/static"));
    expect(count()).toBeGreaterThan(0);
    for (const path of ["/server", "/incremental/alpha"]) {
      await linkTo(page, app.path(path)).click();
      await expect(fact(page, "path")).toHaveText(path);
    }
    await page.goBack();
    await expect(fact(page, "path")).toHaveText("/server");
    await push(page, "#main");
    await expect(page).toHaveURL(/#main$/);
    front.treat(/_next\/data/, answer(503));
    await linkTo(page, app.path("/dynamic/a-1")).click();
    await expect(fact(page, "path")).toHaveText("/dynamic/a-1");
    await ready(page);
  });
}
