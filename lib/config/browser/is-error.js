/**
 * In place of Next's module of this name, which writes thrown objects out with care for cycles. Saves
 * an eighth of a kilobyte (gzip) of every page.
 *
 * @param {unknown} thrown
 * @returns {thrown is Error}
 */
function isError(thrown) {
  return typeof thrown === "object" && thrown !== null && "name" in thrown && "message" in thrown;
}

/** @param {unknown} thrown */
export function getProperError(thrown) {
  return isError(thrown) ? thrown : new Error(String(thrown));
}

// biome-ignore lint/style/noDefaultExport: Next imports the default export of this module.
export { isError as default };
