import { onArrival } from "./lifecycle";

/**
 * After a navigation, puts the focus where reading goes on: at the hash target, else at the page's
 * main heading. The router itself leaves it on a link that may be gone.
 */
export function focusOnArrival(): void {
  onArrival((kind) => {
    if (kind !== "shallow") focusTarget();
  });
}

function focusTarget(): void {
  const target = hashTarget() ?? document.querySelector<HTMLElement>("main h1");
  if (!target) return;
  if (target.tabIndex < 0 && !target.hasAttribute("tabindex")) target.tabIndex = -1;
  target.focus({ preventScroll: true });
}

function hashTarget(): HTMLElement | null {
  const name = location.hash.slice(1);
  if (!name) return null;
  try {
    return document.getElementById(decodeURIComponent(name));
  } catch {
    // Not percent-encoding: an id may hold a bare % too.
    return document.getElementById(name);
  }
}
