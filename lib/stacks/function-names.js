/** Lines looked at upwards of a position. */
const maxLines = 3000;
const maxLineLength = 500;

const notFunctions = new Set(
  "if for while switch catch with return function await new typeof super".split(" "),
);
/** They say that a function is called, not which. */
const callers = new Set(["call", "apply", "bind"]);

const declaration = /\bfunction\b\s*\*?\s*([\w$]+)/g;
/** `const name = (…) =>`, `name={(…) =>`, `name: async (…) =>`, `name = function` */
const assignment =
  /([\w$]+)\s*(?::[^=(){}]{1,200})?[:=]\s*\{?\s*\(?\s*(?:async\s+)?(?:function\b|(?:\([^()]*\)|[\w$]+)\s*(?::[^=(){}]{1,100})?=>)/g;
const method =
  /^(?:(?:public|private|protected|static|override|async|get|set)\s+)*\*?(#?[\w$]+)\s*(?:<[^<>]*>)?\([^;]*\)\s*(?::[^={}]*)?\{$/;
const call = /^(?:(?:await|new|yield)\s+)*(?:[\w$]+\??\.)*([\w$]+)\s*(?:\?\.)?(?:<[^<>()]*>)?\(/;

/**
 * What the function around a position is called. Maps rarely say, so it is read off the source, by
 * its indentation: all source that a formatter has seen has one. A function without a name counts
 * to the named one around it.
 *
 * @param {{ at(line: number): string | undefined }} lines from 0
 * @param {number} line from 0
 * @param {number} column from 0
 * @returns {string | undefined} undefined at the top level
 */
export function enclosingFunction(lines, line, column) {
  const own = lines.at(line) ?? "";
  const inLine = nameIn(own.slice(0, column).slice(-maxLineLength));
  if (inLine) return inLine;
  let indent = indentOf(own);
  for (let i = line - 1; i >= 0 && i >= line - maxLines && indent > 0; i -= 1) {
    const text = lines.at(i) ?? "";
    if (text.length > maxLineLength || indentOf(text) >= indent) continue;
    const trimmed = text.trim();
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
 * @param {string} text
 * @param {number} column from 0
 * @returns {string | undefined}
 */
export function calledFunction(text, column) {
  const name = call.exec(text.slice(column, column + maxLineLength))?.[1];
  return name && !notFunctions.has(name) && !callers.has(name) ? name : undefined;
}

/** @param {string} text */
function indentOf(text) {
  return text.length - text.trimStart().length;
}

/**
 * @param {string} text
 * @returns {string | undefined} the last name of a function that begins in the text
 */
function nameIn(text) {
  const matches = [...text.matchAll(declaration), ...text.matchAll(assignment)];
  return matches
    .filter(([, name = ""]) => !notFunctions.has(name))
    .sort((a, b) => a.index - b.index)
    .at(-1)?.[1];
}

/**
 * @param {string} text
 * @returns {string | undefined}
 */
function methodIn(text) {
  const name = method.exec(text)?.[1];
  return name && !notFunctions.has(name) ? name : undefined;
}
