/**
 * A `ref` for the heading of what replaces a page that was there: the element that had the focus is
 * gone with the page.
 */
export function focusHeading(heading: HTMLElement | null): void {
  heading?.focus();
}
