/**
 * In place of Next's tracer, whose one span nobody hears of but the development server. Saves a fifth
 * of a kilobyte (gzip) of every page.
 */
// biome-ignore lint/style/noDefaultExport: Next imports the default export of this module.
export default { startSpan: () => ({ end() {} }) };
