/** Longest wait for an idle browser, in milliseconds. */
const maxIdleWait = 1000;

/** Calls back once the page has loaded: at once if it has already. */
export function afterLoad(action: () => void): void {
  if (document.readyState === "complete") action();
  else addEventListener("load", action);
}

/** Calls back once somebody sees the page: a prerendered one may never be shown. */
export function whenShown(action: () => void): void {
  if ((document as { prerendering?: boolean }).prerendering) {
    document.addEventListener("prerenderingchange", action, { once: true });
  } else action();
}

/** Calls back when the browser has nothing else to do. Safari has no requestIdleCallback. */
export function whenIdle(action: () => void): void {
  if ("requestIdleCallback" in window) requestIdleCallback(action, { timeout: maxIdleWait });
  else action();
}
