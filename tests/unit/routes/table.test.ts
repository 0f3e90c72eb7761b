import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { en } from "@/lib/messages/en";
import { apiRoutes, pages } from "@/lib/routes/table.js";

const files = readdirSync("pages", { recursive: true, encoding: "utf8" })
  .filter((file) => /\.tsx?$/.test(file) && !/^_/.test(file))
  .map((file) => ({
    pattern: `/${file.replace(/(^|\/)index\.tsx?$|\.tsx?$/, "")}`,
    source: readFileSync(`pages/${file}`, "utf8"),
  }));

const pageFiles = files.filter(({ pattern }) => !pattern.startsWith("/api/"));

/** As Next decides it, by the data functions that a page exports. */
function renderingOf(source: string): string {
  if (/\bgetServerSideProps\b/.test(source)) return "server";
  return /\bgetStaticProps\b/.test(source) && /\brevalidate\b/.test(source)
    ? "incremental"
    : "static";
}

describe("the table of routes", () => {
  test("holds every page under pages/, with the way it is rendered", () => {
    const table = Object.entries(pages).map(([pattern, { rendering }]) => [pattern, rendering]);
    const found = pageFiles.map(({ pattern, source }) => [pattern, renderingOf(source)]);
    expect(Object.fromEntries(table)).toEqual(Object.fromEntries(found));
  });

  test("holds every API route under pages/api/", () => {
    const found = files.map(({ pattern }) => pattern).filter((pattern) => /^\/api\//.test(pattern));
    expect([...apiRoutes].sort()).toEqual(found.sort());
  });

  test("holds every page that has texts", () => {
    expect(Object.keys(pages)).toEqual(expect.arrayContaining(Object.keys(en.routes)));
  });
});
