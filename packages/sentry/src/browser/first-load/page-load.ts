/**
 * A function of ours that never throws, whatever the page or its browser has frozen, replaced or taken away:
 * it fails alone. Thrown into the app's code it could end the page, and out of a listener it would be
 * reported as an error of the app's. Development says which has failed.
 */
export function guarded<Args extends unknown[]>(
  run: (...args: Args) => void,
): (...args: Args) => void {
  return (...args) => {
    try {
      run(...args);
    } catch (error) {
      // biome-ignore lint/style/noProcessEnv: the bundler puts it in, and leaves this out of production
      if (process.env.NODE_ENV !== "production") {
        // biome-ignore lint/suspicious/noConsole: said to whoever looks there
        console.info(`Sentry.init: ${run.name || "a listener"} can't work on this page. ${error}`);
      }
    }
  };
}

/**
 * Calls back once the page has settled: it has loaded, somebody sees it, so many milliseconds have passed,
 * and the browser has nothing else to do.
 */
export function whenSettled(delay: number, action: () => void): void {
  const wait = () => whenShown(() => setTimeout(whenIdle, delay, action));
  if (document.readyState === "complete") wait();
  else addEventListener("load", wait);
}

/** Calls back once somebody sees the page: a prerendered one may never be shown. */
export function whenShown(action: () => void): void {
  if ((document as { prerendering?: boolean }).prerendering) {
    document.addEventListener("prerenderingchange", action);
  } else action();
}

/** Waits for a second at most. Safari has no requestIdleCallback. */
function whenIdle(action: () => void): void {
  const handle = window.requestIdleCallback?.(action, { timeout: 1000 });
  if (!handle) action();
}
