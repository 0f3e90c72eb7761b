/** Longest wait for an idle browser, in milliseconds. */
const maxIdleWait = 1000;

/** Calls back once the page has loaded: at once if it has already. */
export function afterLoad(action: () => void): void {
  if (document.readyState === "complete") action();
  else addEventListener("load", action);
}

/** Calls back when the browser has nothing else to do. Safari has no requestIdleCallback. */
export function whenIdle(action: () => void): void {
  if ("requestIdleCallback" in window) requestIdleCallback(action, { timeout: maxIdleWait });
  else action();
}
