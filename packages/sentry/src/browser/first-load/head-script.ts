/**
 * The first script of every page, inline and allowed by its hash: it stores the events of errors
 * and policy violations that come before any bundle runs, a hundred at most. `watchErrors` takes them over.
 */
export const headScript =
  'signpostErrors=[];["error","unhandledrejection","securitypolicyviolation"].forEach(t=>addEventListener(t,e=>signpostErrors[99]||signpostErrors.push(e)))';
