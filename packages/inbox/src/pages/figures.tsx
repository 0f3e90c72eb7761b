import type { Origin } from "@signpost/relay/store";
import type { Rating } from "../views/ratings.ts";

const step = 10;
const height = 20;

/**
 * How often something was seen on each of the last days, as a row of bars: strokes of a path.
 *
 * @param props.counts the oldest day first
 * @param props.label what the bars show, for those who don't see them
 */
export function DayBars({ counts, label }: { counts: readonly number[]; label: string }) {
  const most = Math.max(...counts, 1);
  const bars = counts.map((count, i) => {
    // One report among thousands must not look like none, and a day without any has a bar too.
    const bar = Math.max(Math.round((count / most) * height), count > 0 ? 3 : 1);
    return `M${i * step + step / 2} ${height}v-${bar}`;
  });
  return (
    <svg
      className="days"
      viewBox={`0 0 ${counts.length * step} ${height}`}
      role="img"
      aria-label={`${label}: ${counts.join(", ")}`}
    >
      <path d={bars.join("")} />
    </svg>
  );
}

const whole = 1000;
/** So that it can be seen. */
const minLength = 8;

/**
 * A bar along an axis. Hidden from screen readers: a text beside it says the same.
 *
 * @param props.parts number of equal parts of the axis, with marks between them
 * @param props.bar where it begins and ends, 0 to 1 along the axis, and its colour; none for an empty axis
 */
export function AxisBar({
  parts,
  bar,
}: {
  parts: number;
  bar?: { from: number; to: number; colour: Rating | Origin };
}) {
  const along = (share: number) => Math.round(Math.min(Math.max(share, 0), 1) * whole);
  const from = Math.min(along(bar?.from ?? 0), whole - minLength);
  const length = Math.max(along(bar?.to ?? 0) - from, minLength);
  const marks = Array.from({ length: parts - 1 }, (_, i) => along((i + 1) / parts));
  return (
    <svg className="axis" viewBox="0 0 1000 12" preserveAspectRatio="none" aria-hidden="true">
      <path className="track" d="M0 3h1000v6H0z" />
      <path className="marks" d={marks.map((x) => `M${x} 0v12`).join("")} />
      {bar && <path className={bar.colour} d={`M${from} 3h${length}v6h${-length}z`} />}
    </svg>
  );
}
