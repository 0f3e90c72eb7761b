const step = 10;
const height = 20;
/** One report among thousands must not look like none, and a day without any has a bar too. */
const minHeight = { some: 3, none: 1 };

/**
 * How often something was seen on each of the last days, as a row of bars: strokes of a path.
 *
 * @param props.counts the oldest day first
 * @param props.label what the bars show, for those who don't see them
 */
export function DayBars({ counts, label }: { counts: readonly number[]; label: string }) {
  const most = Math.max(...counts, 1);
  const bars = counts.map((count, i) => {
    const least = count > 0 ? minHeight.some : minHeight.none;
    const bar = Math.max(Math.round((count / most) * height), least);
    return `M${i * step + step / 2} ${height}v-${bar}`;
  });
  return (
    <svg
      viewBox={`0 0 ${counts.length * step} ${height}`}
      role="img"
      aria-label={`${label}: ${counts.join(", ")}`}
    >
      <path d={bars.join("")} />
    </svg>
  );
}
