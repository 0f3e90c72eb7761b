/** The fields of the entries that this file reads. */
interface Entry extends PerformanceEntry {
  /** Of a layout shift. */
  value: number;
  hadRecentInput: boolean;
  /** Of an event; 0 if it belongs to no interaction. */
  interactionId: number;
}

/** A page that is loaded in the background is painted when the visitor comes, however fast it was. */
const loadedHidden = document.hidden && !(document as { prerendering?: boolean }).prerendering;

/**
 * The web vitals of the page up to now, from what the browser has buffered: it keeps the first 150
 * layout shifts and the interactions of 104 ms and more, and the first one. That is enough for the
 * time before the SDK runs, and nothing runs before this is called. What the browser doesn't
 * measure is left out.
 *
 * By hand, because Google's `web-vitals` weighs 3.3 kB (gzip), and does not give a value on demand.
 * The definitions are its: https://github.com/GoogleChrome/web-vitals
 *
 * @param takeInteraction whether an interaction is wanted that took so many milliseconds
 * @returns each in its own unit: times in milliseconds
 */
export function readVitals(
  load: PerformanceNavigationTiming & { activationStart?: number },
  takeInteraction: (duration: number) => boolean,
): Record<string, number> {
  const measurements: Record<string, number> = {};
  // What is left out: undefined, and a `responseStart` of 0 or less, which WebKit has at times.
  const addTime = (name: string, time: number | undefined, since = load.activationStart || 0) => {
    const value = (time ?? 0) - since;
    if (value > 0) measurements[name] = value;
  };
  addTime("ttfb", load.responseStart);
  if (!loadedHidden) {
    addTime("fcp", performance.getEntriesByName("first-contentful-paint")[0]?.startTime);
    addTime("lcp", buffered("largest-contentful-paint")?.at(-1)?.startTime);
  }
  const interaction = interactionToNextPaint()?.duration ?? 0;
  if (takeInteraction(interaction)) addTime("inp", interaction, 0);
  const shifts = buffered("layout-shift");
  if (shifts) measurements.cls = cumulativeLayoutShift(shifts);
  return measurements;
}

/** The entries of a type, in order; undefined if the browser has no such type. */
function buffered(type: string): Entry[] | undefined {
  if (!PerformanceObserver.supportedEntryTypes.includes(type)) return undefined;
  const observer = new PerformanceObserver(() => {});
  observer.observe({ type, buffered: true });
  const entries = observer.takeRecords() as Entry[];
  // The browser would keep it, and call it for each later entry.
  observer.disconnect();
  return entries;
}

/** The greatest sum of shifts with less than 1 s between two of them and 5 s in all. */
function cumulativeLayoutShift(shifts: Entry[]): number {
  let [first, last, sum, greatest] = [-1e4, -1e4, 0, 0];
  for (const { startTime, value, hadRecentInput } of shifts) {
    if (hadRecentInput) continue;
    if (startTime - last >= 1000 || startTime - first >= 5000) {
      first = startTime;
      sum = 0;
    }
    last = startTime;
    sum += value;
    greatest = Math.max(greatest, sum);
  }
  return greatest;
}

/** The longest interaction, but one less for each 50 of them; nothing if there was none. */
export function interactionToNextPaint(): PerformanceEntry | undefined {
  const longest: Record<number, Entry> = {};
  for (const type of ["event", "first-input"]) {
    for (const entry of buffered(type) ?? []) {
      const { interactionId: id, duration } = entry;
      if (id && duration > (longest[id]?.duration ?? 0)) longest[id] = entry;
    }
  }
  const sorted = Object.values(longest).sort((a, b) => b.duration - a.duration);
  const { interactionCount = 0 } = performance as { interactionCount?: number };
  return sorted[Math.min(sorted.length - 1, Math.floor(interactionCount / 50))];
}
