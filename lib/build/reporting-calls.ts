/**
 * The calls that set reporting up, by the file that makes them. Sentry's wizard writes some of these
 * files anew: what is left when its lines are taken out reports nothing, and nothing else would say so.
 */
type Calls = Record<string, [name: string, lost: string][]>;

/** @param start of the server's reporting */
const everywhere = (start: string): Calls => ({
  "instrumentation.ts": [
    [start, ": nothing that fails on the server is reported"],
    ["reportRequestError", ": no failing request is reported"],
  ],
  "instrumentation-client.ts": [["watchErrors", ": nothing that fails in the browser is reported"]],
});

const signpost: Calls = {
  ...everywhere("startServer"),
  "pages/_error.tsx": [
    ["referenceOnErrorPage", ": a failed page names no report"],
    ["captureException", ": what fails on the way to a page is not reported"],
  ],
};

/** In an app that has the reporting alone, the error page is the app's own. */
const alone = everywhere("startReportingAlone");

/**
 * @param sources texts by path, without comments
 * @returns a sentence for each of these files that a part of reporting is gone from
 */
export function lostCalls(sources: Record<string, string>): string[] {
  const calls = "lib/server/start.ts" in sources ? signpost : alone;
  return Object.entries(calls).flatMap(([file, needed]) =>
    needed
      .filter(([name]) => !sources[file]?.includes(`${name}(`))
      .map(
        ([name, lost]) =>
          `${file} does not call ${name}()${lost}. Bring the file back as it came with Signpost, and add your lines to it. See docs/sentry.md.`,
      ),
  );
}
