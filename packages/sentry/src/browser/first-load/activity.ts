import { currentRoute, type Navigation, onNavigation } from "./navigation.ts";
import { guarded } from "./page-load.ts";

/** A click or a stage of a navigation; from before the SDK, it becomes a breadcrumb or a span. */
export type EarlyActivity = {
  /** Milliseconds since the epoch. */
  at: number;
  /** Milliseconds since the page's load began, by a clock that stands still while the machine sleeps. */
  since: number;
  /** Those of the page that the visitor is on. */
  route: string;
  page: string;
} & (Click | Navigation);

export type EarlyNavigation = Extract<EarlyActivity, Navigation>;

/**
 * An element's tag name and attributes: the element itself would be held as long as the page. Of what is
 * no element, nothing.
 */
export type ClickedElement = readonly [
  tag?: string,
  attributes?: (readonly [name: string, value: string])[],
];

interface Click {
  /** The innermost first. */
  clicked: ClickedElement[];
}

const maxActivities = 50;

/**
 * Records the last clicks and navigations of the visit.
 *
 * @returns those so far, in order; the list goes on
 */
export function recordActivity(): EarlyActivity[] {
  const activities: EarlyActivity[] = [];
  const add = (activity: Click | Navigation) => {
    const count = activities.push({
      ...activity,
      at: Date.now(),
      since: performance.now(),
      route: currentRoute(),
      page: location.href,
    });
    // Most visits never load the SDK, and what led to an error came last.
    if (count > maxActivities) activities.shift();
  };
  addEventListener(
    "click",
    guarded((event) => add({ clicked: clickedElements(event) })),
    true,
  );
  onNavigation(add);
  return activities;
}

/**
 * As many as the SDK names. Its part picks the attributes that it names. A very long one has no value, such as a
 * picture in a `src`: it may be megabytes, and the beginning of a text can keep all of it in memory.
 */
export function clickedElements(event: Event): ClickedElement[] {
  return (event.composedPath() as Element[])
    .slice(0, 5)
    .map((one) => [
      one.tagName,
      Array.from(one.attributes ?? [], ({ name, value }) => [
        name,
        value.length < 1000 ? value : "",
      ]),
    ]);
}
