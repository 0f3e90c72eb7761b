import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { builtInPages } from "@/lib/routes/built-in";
import { firstLoadReport } from "@/scripts/first-load";

test("a page over its budget is named in a sentence, with what to do", () => {
  const dist = mkdtempSync(join(tmpdir(), "signpost-first-load-"));
  try {
    const pages = { "/_app": ["app.js"], "/": ["app.js", "home.js", "home.css"], "/b": ["b.js"] };
    writeFileSync(
      join(dist, "build-manifest.json"),
      JSON.stringify({ pages, lowPriorityFiles: ["manifest.js"] }),
    );
    for (const name of ["app.js", "manifest.js", "home.js", "b.js"]) {
      writeFileSync(join(dist, name), "x");
    }
    const lines = firstLoadReport({ "/": { budget: 10 }, "/b": {} }, dist);
    expect(lines).toHaveLength(4);
    expect(lines[1]).toMatch(/^\/ .* kB home\.js$/);
    // Three scripts of 21 bytes each; no style sheet.
    expect(lines[3]).toBe(
      'The first load of / is 53 bytes over its budget: load later what is not wanted at once, with import() or next/dynamic, or give its line in lib/routes/table.ts "budget: 63".',
    );
    // None where a team has taken all of them out.
    for (const route of Object.keys(builtInPages)) {
      const builtIn = firstLoadReport({ "/b": {}, [route]: { budget: 10 } }, dist);
      expect(builtIn.at(-1)).toContain('give its line in lib/routes/built-in.ts "budget: ');
    }
  } finally {
    rmSync(dist, { recursive: true });
  }
});
