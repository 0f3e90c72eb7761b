/** For pages/_document. */
export { headScript } from "./browser/first-load/head-script.ts";
export { currentTraceMeta, type TraceMeta } from "./server/shared.ts";
