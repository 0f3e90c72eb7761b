/**
 * Prints rows of text as a Markdown table, all columns but the first to the right.
 *
 * @param {string[]} head
 * @param {string[][]} rows
 */
export function printTable(head, rows) {
  const widths = head.map((_, column) =>
    Math.max(3, ...[head, ...rows].map((row) => (row[column] ?? "").length)),
  );
  /** @param {string[]} cells */
  const line = (cells) =>
    console.log(
      `| ${widths
        .map((width, column) => {
          const cell = cells[column] ?? "";
          return column === 0 ? cell.padEnd(width) : cell.padStart(width);
        })
        .join(" | ")} |`,
    );
  line(head);
  line(
    widths.map((width, column) => (column === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`)),
  );
  for (const row of rows) line(row);
}

/** @param {number} value */
export function ratio(value) {
  return value.toFixed(2);
}

/** @param {number} bytes */
export function kilobytes(bytes) {
  return `${(bytes / 1000).toFixed(1)} kB`;
}

/** @param {number} bytes */
export function mebibytes(bytes) {
  return `${(bytes / 1024 ** 2).toFixed(0)} MiB`;
}

/** @param {number} value */
export function milliseconds(value) {
  return `${value.toFixed(2)} ms`;
}
