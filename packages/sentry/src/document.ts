/** For pages/_document. */
export { headScript } from "./browser/first-load/head-script.ts";
export { currentTraceMeta } from "./server/reporting-state.ts";
