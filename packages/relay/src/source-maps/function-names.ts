/** Lines looked at upwards of a position. */
const maxLines = 3000;
const maxLineLength = 500;

const notFunctions = new Set(
  "if for while switch catch with return function await new typeof super".split(" "),
);
// In these, no two spaces follow each other, see `compact`.
const declaration = /\bfunction\b ?\*? ?([\w$]+)/g;
/** `const name = (…) =>`, `name={(…) =>`, `name: async (…) =>`, `name = function` */
const assignment =
  /(?<![\w$])([\w$]+) ?(?::[^=(){}]{1,200})?[:=] ?\{? ?\(? ?(?:async )?(?:function\b|(?:\([^()]*\)|[\w$]+) ?(?::[^=(){}]{1,100})?=>)/g;
const functions = [declaration, assignment];
const method =
  /^(?:(?:public|private|protected|static|override|async|get|set) )*\*?(#?[\w$]+) ?(?:<[^<>]*>)?\([^;]*\) ?(?::[^={}]*)?\{$/g;

/**
 * The name of the function around a position. Maps rarely say it, so it is found by the indentation
 * of the source. In a function without a name it is that of the next one around it.
 *
 * @param lines from 0
 * @param line from 0
 * @param column from 0
 * @returns undefined at the top level
 */
export function enclosingFunction(
  lines: readonly string[],
  line: number,
  column: number,
): string | undefined {
  const own = lines[line] ?? "";
  const inLine = nameIn(compact(own.slice(0, column).slice(-maxLineLength)), functions);
  if (inLine) return inLine;
  let indent = indentOf(own);
  for (let i = line - 1; i >= 0 && i >= line - maxLines && indent > 0; i -= 1) {
    const text = lines[i] ?? "";
    if (text.length > maxLineLength || indentOf(text) >= indent) continue;
    const trimmed = compact(text.trim());
    if (!trimmed) continue;
    const name = nameIn(trimmed, functions) ?? nameIn(trimmed, [method]);
    if (name) return name;
    // The end of a head over several lines: the name stands where that begins, indented alike.
    indent = indentOf(text) + (trimmed.startsWith(")") ? 1 : 0);
  }
  return undefined;
}

function compact(text: string) {
  return text.replace(/\s+/g, " ");
}

function indentOf(text: string) {
  return text.length - text.trimStart().length;
}

/** @returns the last name of a function that begins in the text */
function nameIn(text: string, patterns: RegExp[]): string | undefined {
  return patterns
    .flatMap((pattern) => [...text.matchAll(pattern)])
    .filter(([, name = ""]) => !notFunctions.has(name))
    .sort((a, b) => a.index - b.index)
    .at(-1)?.[1];
}
