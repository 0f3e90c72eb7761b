import Router from "next/router";
import { forgetHardNavigations } from "./hard-navigation";

/** The browser itself follows a link that opens another target or downloads. */
const hashLink = 'a[href^="#"]:not([download],[target]:not([target=""],[target=_self i]))';

/**
 * Watches the visitor's clicks on links, whatever component rendered them. `next/link` and the router
 * do the navigating.
 */
export function watchLinks(): void {
  // In the capture phase, before the link starts its navigation.
  document.addEventListener(
    "click",
    ({ target }) => linkOf(target) && forgetHardNavigations(),
    true,
  );
  addEventListener("popstate", forgetHardNavigations);
  document.addEventListener("click", followHashLink);
}

/**
 * A plain `<a href="#target">` changes the URL without the router, which would then fetch the page
 * again on the way back, lose the scroll position and fire no event. So the router follows it.
 */
function followHashLink(event: MouseEvent): void {
  const { button, metaKey, ctrlKey, shiftKey, altKey, defaultPrevented, target } = event;
  if (defaultPrevented || button || metaKey || ctrlKey || shiftKey || altKey) return;
  const link = linkOf(target);
  if (!link?.matches(hashLink) || !Router.router?.isReady) return;
  event.preventDefault();
  const hash = link.getAttribute("href") ?? "";
  // The router knows no empty hash, and would fetch the page again.
  if (hash === "#" && location.href.endsWith("#")) scrollTo(0, 0);
  else void Router.push(hash);
}

function linkOf(target: EventTarget | null): Element | null {
  return target instanceof Element ? target.closest("a[href]") : null;
}
