/** Lines looked at upwards of a position. */
const maxLines = 3000;
const maxLineLength = 500;

const notFunctions = new Set(
  "if for while switch catch with return function await new typeof super".split(" "),
);
/** Methods of functions: their names don't tell which function is called. */
const callers = new Set(["call", "apply", "bind"]);

// In these, no two spaces follow each other, see `compact`.
const declaration = /\bfunction\b ?\*? ?([\w$]+)/g;
/** `const name = (…) =>`, `name={(…) =>`, `name: async (…) =>`, `name = function` */
const assignment =
  /(?<![\w$])([\w$]+) ?(?::[^=(){}]{1,200})?[:=] ?\{? ?\(? ?(?:async )?(?:function\b|(?:\([^()]*\)|[\w$]+) ?(?::[^=(){}]{1,100})?=>)/g;
const method =
  /^(?:(?:public|private|protected|static|override|async|get|set) )*\*?(#?[\w$]+) ?(?:<[^<>]*>)?\([^;]*\) ?(?::[^={}]*)?\{$/;
const call = /^(?:(?:await|new|yield) )*(?:[\w$]+\??\.)*([\w$]+) ?(?:\?\.)?(?:<[^<>()]*>)?\(/;

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
  lines: { at(line: number): string | undefined },
  line: number,
  column: number,
): string | undefined {
  const own = lines.at(line) ?? "";
  const inLine = nameIn(compact(own.slice(0, column).slice(-maxLineLength)));
  if (inLine) return inLine;
  let indent = indentOf(own);
  for (let i = line - 1; i >= 0 && i >= line - maxLines && indent > 0; i -= 1) {
    const text = lines.at(i) ?? "";
    if (text.length > maxLineLength || indentOf(text) >= indent) continue;
    const trimmed = compact(text.trim());
    if (!trimmed) continue;
    const name = nameIn(trimmed) ?? methodIn(trimmed);
    if (name) return name;
    // The end of a head over several lines: the name stands where that begins, indented alike.
    indent = indentOf(text) + (trimmed.startsWith(")") ? 1 : 0);
  }
  return undefined;
}

/**
 * What is called at a position: the name of the function whose frame is above it in the stack.
 *
 * @param column from 0
 */
export function calledFunction(text: string, column: number): string | undefined {
  const name = call.exec(compact(text.slice(column, column + maxLineLength)))?.[1];
  return name && !notFunctions.has(name) && !callers.has(name) ? name : undefined;
}

function compact(text: string) {
  return text.replace(/\s+/g, " ");
}

function indentOf(text: string) {
  return text.length - text.trimStart().length;
}

/** @returns the last name of a function that begins in the text */
function nameIn(text: string): string | undefined {
  const matches = [...text.matchAll(declaration), ...text.matchAll(assignment)];
  return matches
    .filter(([, name = ""]) => !notFunctions.has(name))
    .sort((a, b) => a.index - b.index)
    .at(-1)?.[1];
}

function methodIn(text: string): string | undefined {
  const name = method.exec(text)?.[1];
  return name && !notFunctions.has(name) ? name : undefined;
}
