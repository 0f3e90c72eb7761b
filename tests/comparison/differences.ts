import type { Side } from "./apps.ts";
import type { Facts } from "./reports.ts";

/** One thing that the two apps say in two ways, or that only one of them says. */
export interface Difference {
  /** The identity of the reports. */
  report: string;
  /** The fact, or `sent` for reports that only one app sends. */
  place: string;
  sentry: string;
  signpost: string;
}

/** What stands for a fact that is not there. */
const absent = "–";

/**
 * A difference that is wanted, or at least known. `*` in it stands for any text.
 */
export interface KnownDifference extends Difference {
  kind: "better here" | "privacy" | "given up";
  reason: string;
}

/** Everything in which two apps differ, in order. */
export function differencesOf(facts: Record<Side, Map<string, Facts>>): Difference[] {
  const reports = namesIn(facts.sentry, facts.signpost);
  return reports.flatMap((report) => {
    const [sentry, signpost] = [facts.sentry.get(report), facts.signpost.get(report)];
    if (sentry && signpost) return differencesOfFacts(report, sentry, signpost);
    const sent = (there: Facts | undefined) => (there ? "yes" : absent);
    return [{ report, place: "sent", sentry: sent(sentry), signpost: sent(signpost) }];
  });
}

function differencesOfFacts(report: string, sentry: Facts, signpost: Facts): Difference[] {
  return namesIn(sentry, signpost)
    .filter((place) => sentry.get(place) !== signpost.get(place))
    .filter((place) => {
      // Where one lacks a span, it lacks the span's attributes, which needs no saying.
      const [span = "", attribute] = place.split(" · ");
      return attribute === undefined || (sentry.has(span) && signpost.has(span));
    })
    .map((place) => ({
      report,
      place,
      sentry: sentry.get(place) ?? absent,
      signpost: signpost.get(place) ?? absent,
    }));
}

function namesIn(one: Map<string, unknown>, other: Map<string, unknown>): string[] {
  return [...new Set([...one.keys(), ...other.keys()])].sort();
}

/** The differences that no known one covers, and the known ones that no longer occur. */
export function judge(
  differences: Difference[],
  known: KnownDifference[],
): { unknown: Difference[]; gone: KnownDifference[] } {
  return {
    unknown: differences.filter((found) => !known.some((row) => covers(row, found))),
    gone: known.filter((row) => !differences.some((found) => covers(row, found))),
  };
}

function covers(known: Difference, found: Difference): boolean {
  const parts = ["report", "place", "sentry", "signpost"] as const;
  return parts.every((part) => matches(known[part], found[part]));
}

/** Whether a text is of a form, in which `*` stands for any text. */
function matches(form: string, text: string): boolean {
  const parts = form.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`, "s").test(text);
}

/** Differences as lines, the reports that have the same one together. */
export function linesOf(differences: Difference[]): string[] {
  const groups = new Map<string, string[]>();
  for (const { report, place, sentry, signpost } of differences) {
    const line = `${place}: ${sentry} / ${signpost}`;
    groups.set(line, [...(groups.get(line) ?? []), report]);
  }
  return [...groups].map(([line, reports]) => `${line}   (${reports.join("; ")})`);
}

/**
 * Reads the table of known differences: one row each of reports, place, Sentry's set-up, Signpost, kind
 * and reason. It stands in CALLS.md of the package, for readers too, and nowhere else.
 */
export function knownDifferencesIn(markdown: string): KnownDifference[] {
  const [, table = ""] = markdown.split(/^\| reports \| .*\n\|-.*\n/m);
  const [rows = ""] = table.split("\n\n");
  return rows
    .trim()
    .split("\n")
    .map((row) => {
      const cells = row.slice(2, -2).split(" | ");
      const [report = "", place = "", sentry = "", signpost = "", kind, reason = ""] = cells.map(
        (cell) => cell.replace(/^`(.*)`$/, "$1").replaceAll("\\|", "|"),
      );
      return { report, place, sentry, signpost, kind: kind as KnownDifference["kind"], reason };
    });
}
