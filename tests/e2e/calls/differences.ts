import type { KnownDifference } from "../../comparison/differences.ts";
import {
  browser,
  type Differs,
  node,
  type Place,
  places,
  type Snippet,
} from "./app/snippets/snippet.ts";
import { faultsOf } from "./faults.ts";

/** What differs in the reports of any call, on purpose. */
const everywhere: Differs[] = [
  {
    what: "* · tags.side",
    why: "Errors can be searched by browser or server.",
    in: [...browser, ...node],
  },
  { what: "* · tags.route", why: "Errors can be searched by route.", in: [...browser, ...node] },
  { what: "* · tags.method", why: "Errors of the server can be searched by method.", in: node },
  { what: "* · request.*", why: "Values of a query are never sent.", in: node },
  {
    what: "* · exception.values.*.mechanism.synthetic",
    why: "A service titles a synthetic exception by its function, which says nothing.",
    in: [...browser, ...node],
  },
  {
    what: "the visit · transaction",
    why: "A request to the edge is named by its route.",
    in: ["edge"],
  },
];

/** What is known of a place: for all snippets, beside each of them, and what is still to be mended. */
export function knownIn(place: Place, snippets: Snippet[]): KnownDifference[] {
  const rows = [
    ...everywhere.map((row) => ({ report: "*", row, at: places as readonly Place[] })),
    ...snippets.flatMap(({ name, differs = [], in: at = places }) =>
      [...differs, ...faultsOf(name)].map((row) => ({ report: name, row, at })),
    ),
  ];
  return rows
    .filter(({ row, at }) => (row.in ?? at).includes(place))
    .map(({ report, row: { what, why, fault } }) => ({
      report,
      place: what,
      sentry: "*",
      signpost: "*",
      kind: "given up",
      reason: why ?? fault ?? "",
    }));
}

/** Each reason once. */
export function reasonsIn(snippets: Snippet[]): string[] {
  const rows = [...everywhere, ...snippets.flatMap(({ differs = [] }) => differs)];
  return [...new Set(rows.flatMap(({ why }) => why ?? []))];
}
