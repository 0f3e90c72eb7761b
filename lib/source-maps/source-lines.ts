const carriageReturn = 0x0d;

/**
 * The lines of a text, without a copy of them: where each begins, in four bytes. Lines end with LF or
 * CRLF.
 */
export class SourceLines {
  #text;
  #starts;

  constructor(text: string) {
    let count = 1;
    for (let i = text.indexOf("\n"); i !== -1; i = text.indexOf("\n", i + 1)) count += 1;
    const starts = new Uint32Array(count);
    let line = 0;
    for (let i = text.indexOf("\n"); i !== -1; i = text.indexOf("\n", i + 1)) {
      line += 1;
      starts[line] = i + 1;
    }
    this.#text = text;
    this.#starts = starts;
  }

  /** What it takes in memory beside the text. */
  get bytes() {
    return this.#starts.byteLength;
  }

  /** @param line from 0 */
  at(line: number): string | undefined {
    const start = this.#starts[line];
    if (start === undefined) return undefined;
    const next = this.#starts[line + 1];
    if (next === undefined) return this.#text.slice(start);
    const end = this.#text.charCodeAt(next - 2) === carriageReturn ? next - 2 : next - 1;
    return this.#text.slice(start, end);
  }
}
