/** Values in the JSON, arrays and objects included. The largest map here has 3,600. */
const maxValues = 500_000;
const maxDepth = 16;

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;

/**
 * Refuses JSON that would take far more memory parsed than it has bytes: a thread that runs out of
 * memory takes the whole process with it, whatever limit it was given.
 *
 * @param {Uint8Array} json
 * @throws {Error}
 */
export function checkJson(json) {
  let values = 0;
  let depth = 0;
  for (let i = 0; i < json.length; i += 1) {
    const byte = json[i];
    if (byte === quote) i = endOfString(json, i);
    else if (byte === comma) values += 1;
    else if (byte === 0x5b || byte === 0x7b) {
      values += 1;
      depth += 1;
    } else if (byte === 0x5d || byte === 0x7d) depth -= 1;
    if (values > maxValues || depth > maxDepth) throw new Error("The JSON has too many parts.");
  }
}

/**
 * @param {Uint8Array} json
 * @param {number} start of the opening quote
 * @returns {number} where the closing quote is
 */
function endOfString(json, start) {
  let end = json.indexOf(quote, start + 1);
  while (end !== -1 && isEscaped(json, end)) end = json.indexOf(quote, end + 1);
  return end === -1 ? json.length : end;
}

/**
 * @param {Uint8Array} json
 * @param {number} at
 */
function isEscaped(json, at) {
  let backslashes = 0;
  while (json[at - 1 - backslashes] === backslash) backslashes += 1;
  return backslashes % 2 === 1;
}
