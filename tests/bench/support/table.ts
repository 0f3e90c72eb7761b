/** Prints rows of text as a Markdown table, all columns but the first to the right. */
export function printTable(head: string[], rows: string[][]): void {
  const widths = head.map((_, column) =>
    Math.max(3, ...[head, ...rows].map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: string[]) => {
    const padded = widths.map((width, column) =>
      column === 0 ? cells[column]?.padEnd(width) : cells[column]?.padStart(width),
    );
    console.log(`| ${padded.join(" | ")} |`);
  };
  line(head);
  line(widths.map((width, column) => "-".repeat(width - 1) + (column === 0 ? "-" : ":")));
  for (const row of rows) line(row);
}

export const ratio = (value: number) => value.toFixed(2);
export const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`;
export const mebibytes = (bytes: number) => `${(bytes / 1024 ** 2).toFixed(0)} MiB`;
export const milliseconds = (value: number) => `${value.toFixed(2)} ms`;
