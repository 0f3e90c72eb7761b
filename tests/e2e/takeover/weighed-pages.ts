import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { ProjectCopy } from "./takeover";

/** A page with and without Sentry's functions, to be weighed. */
const pages = {
  bare: `export default function Bare() {
  return <button type="button">Pay</button>;
}
`,
  reporting: `import * as Sentry from "@signpost/sentry";

export default function Reporting() {
  return (
    <Sentry.ErrorBoundary fallback={<p>Not now</p>}>
      <button
        type="button"
        onClick={() => {
          Sentry.setUser({ id: "1" });
          Sentry.setTag("a", "b");
          Sentry.addBreadcrumb({});
          Sentry.captureMessage("c");
          Sentry.withScope(() => Sentry.captureException(0));
        }}
      >
        Pay
      </button>
    </Sentry.ErrorBoundary>
  );
}
`,
};

/** Adds both. */
export function addWeighedPages(copy: ProjectCopy): void {
  for (const [name, text] of Object.entries(pages)) copy.write(`pages/${name}.tsx`, text);
}

/**
 * @param folder of the copy's build
 * @returns bytes, gzipped, that the page with Sentry's functions has more in its first load
 */
export function bytesOfReporting(folder: string): number {
  const dist = join(folder, ".next");
  const manifest = JSON.parse(readFileSync(join(dist, "build-manifest.json"), "utf8"));
  const bytes = (route: string) =>
    (manifest.pages[route] as string[])
      .filter((file) => file.endsWith(".js"))
      .reduce((sum, file) => sum + gzipSync(readFileSync(join(dist, file))).length, 0);
  return bytes("/reporting") - bytes("/bare");
}
