/**
 * The first script of every page, inline and allowed by its hash: keeps the errors that come before
 * any bundle has run. What takes them over (early.ts) replaces `push`.
 */
export const headScript =
  'signpostEarly=[];["error","unhandledrejection"].forEach(t=>addEventListener(t,e=>signpostEarly.push(e)))';

/** An error as the browser tells of it. */
export type ErrorSignal = ErrorEvent | PromiseRejectionEvent;

declare global {
  var signpostEarly: ErrorSignal[] | undefined;
}
