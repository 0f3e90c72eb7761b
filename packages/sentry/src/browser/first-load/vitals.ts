/** The fields of the entries that this file reads. */
interface Entry extends PerformanceEntry {
  /** Of a layout shift. */
  value: number;
  hadRecentInput: boolean;
  /** Of an event; 0 if it belongs to no interaction. */
  interactionId: number;
}

/** What is read of the browser's entry of the page's load. */
export type LoadEntry = Partial<PerformanceNavigationTiming> & { activationStart?: number };

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
 * @returns each in its own unit: times in milliseconds
 */
export function readVitals({
  activationStart = 0,
  responseStart,
}: LoadEntry): Record<string, number> {
  const measurements: Record<string, number> = {};
  // Some browsers have a `responseStart` of 0 or less, or one that is still to come.
  const addTime = (name: string, time = 0) => {
    if (time > activationStart && time < performance.now())
      measurements[name] = time - activationStart;
  };
  addTime("ttfb", responseStart);
  // The visitor may have come before this file. A page that was rendered ahead began hidden, too.
  const [first] = performance.getEntriesByType("visibility-state");
  if (!loadedHidden && (activationStart || first?.name !== "hidden")) {
    addTime("fcp", performance.getEntriesByName("first-contentful-paint")[0]?.startTime);
    addTime("lcp", buffered("largest-contentful-paint")?.pop()?.startTime);
  }
  const interaction = interactionToNextPaint()?.duration ?? 0;
  if (takeInteraction(interaction)) measurements.inp = interaction;
  const shifts = buffered("layout-shift");
  if (shifts) measurements.cls = cumulativeLayoutShift(shifts);
  return measurements;
}

/** The longest interaction that has been sent, in milliseconds. */
let longestSent = 0;

/**
 * Both the page, as it is left, and the SDK send the visit's longest interaction, and send again when
 * there was a longer one. This keeps them from sending the same one twice.
 *
 * @param duration of the visit's longest interaction so far, in milliseconds
 * @returns whether to send it: it is longer than any that was sent
 */
export function takeInteraction(duration: number): boolean {
  const longer = duration > longestSent;
  if (longer) longestSent = duration;
  return longer;
}

/** The entries of a type, in order; undefined if the browser has no such type, or no observers. */
function buffered(type: string): Entry[] | undefined {
  try {
    if (!PerformanceObserver.supportedEntryTypes.includes(type)) return undefined;
    const observer = new PerformanceObserver(() => {});
    observer.observe({ type, buffered: true });
    const entries = observer.takeRecords() as Entry[];
    // The browser would keep it, and call it for each later entry.
    observer.disconnect();
    return entries;
  } catch {
    return undefined;
  }
}

/** The greatest sum of shifts with less than 1 s between two of them and 5 s in all. */
function cumulativeLayoutShift(shifts: Entry[]): number {
  let first = -1e4;
  let last = first;
  let sum = 0;
  let greatest = 0;
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
  return sorted[Math.floor(interactionCount / 50)] ?? sorted.pop();
}
