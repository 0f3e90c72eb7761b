import { expect } from "playwright/test";
import { runSql, startPostgres } from "../../support/postgres.js";
import { type App, startApp } from "../../support/server";
import type { ProjectCopy } from "./takeover";

const page = `import type { GetStaticProps } from "next";

export default function Shared({ at }: { at: string }) {
  return <p>made {at}</p>;
}

export const getStaticPaths = () => ({ paths: [{ params: { slug: "built" } }], fallback: "blocking" });

export const getStaticProps = (() => ({
  props: { at: \`\${Date.now()} by \${process.pid}\` },
  revalidate: 3600,
})) satisfies GetStaticProps;
`;

const renew = `import type { NextApiRequest, NextApiResponse } from "next";

export default async function handler(req: NextApiRequest, res: NextApiResponse) {
  await res.revalidate(String(req.query.path));
  res.end();
}
`;

/** Has the app keep its incremental pages by deploy/shared-pages.js, and adds one. */
export function addSharedPages(copy: ProjectCopy): void {
  copy.copy("deploy/shared-pages.js", "shared-pages.js");
  copy.addLines(
    "next.config.js",
    "    poweredByHeader: false,",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is one in next.config.js
    "    cacheHandler: `${import.meta.dirname}/shared-pages.js`,",
  );
  copy.write("pages/shared/[slug].tsx", page);
  copy.write("pages/api/renew.ts", renew);
}

/**
 * Checks that a page which one of two servers has renewed is renewed on both within a second.
 *
 * @param folder of the copy's build
 */
export async function expectSharedPages(folder: string): Promise<void> {
  const postgres = await startPostgres();
  const apps: App[] = [];
  const start = async () => {
    const app = await startApp("default", { DATABASE_URL: postgres.url }, folder);
    apps.push(app);
    return app;
  };
  const made = async (app: App, slug: string, locale?: string) => {
    const text = await (await fetch(app.url(`/shared/${slug}`, locale))).text();
    return /made (?:<!-- -->)?(\d+ by \d+)/.exec(text)?.[1];
  };
  try {
    const [one, other] = [await start(), await start()];
    /** Of the other server, in milliseconds. A busy machine is slow now and then. */
    const delays: number[] = [];
    for (const slug of ["built", "later", "built"]) {
      const before = await made(other, slug);
      expect(before).toBeDefined();
      expect((await fetch(one.url(`/api/renew?path=/shared/${slug}`))).status).toBe(200);
      const begun = performance.now();
      const renewed = await made(one, slug);
      expect(renewed).not.toBe(before);
      await expect.poll(() => made(other, slug), { intervals: [50] }).toBe(renewed);
      delays.push(performance.now() - begun);
    }
    expect(Math.min(...delays)).toBeLessThan(1000);
    // One that starts later has them, too, in place of what the build has made.
    const third = await start();
    await expect.poll(() => made(third, "built")).toBe(await made(one, "built"));
    // A stranger who says so renews nothing.
    const headers = { "x-prerender-revalidate": "guessed" };
    await fetch(one.url("/shared/stranger"), { headers });
    const text = "select key from signpost.shared_pages order by renewed_at";
    const rows = await runSql<{ key: string }>(postgres.url, text);
    expect(rows.map(({ key }) => key.replace(/.*\$/, ""))).toEqual([
      "/en/shared/later",
      "/en/shared/built",
    ]);
    // Pages never wait for the database.
    await postgres.stopServer();
    const kept = await made(one, "built");
    expect((await fetch(other.url("/shared/another"))).status).toBe(200);
    expect(await made(other, "built")).toBe(kept);
    await postgres.startServer();
    await fetch(other.url("/api/renew?path=/shared/built"));
    const again = await made(other, "built");
    expect(again).not.toBe(kept);
    await expect.poll(() => made(one, "built")).toBe(again);
  } finally {
    await Promise.all(apps.map((app) => app.kill()));
    await postgres.stop();
  }
}
