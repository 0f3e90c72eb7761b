/** The longest path, in elements and characters. */
const maxElements = 5;
const maxLength = 80;

const attributes = ["id", "class", "aria-label", "type", "name", "title", "alt"];

/**
 * An element and those around it, as Sentry's SDK words them for a breadcrumb: `div.card > button#buy`.
 * The SDK's own weighs more, and comes later, when the element may be gone.
 * Source: https://github.com/getsentry/sentry-javascript/blob/11.5.0/packages/browser-utils/src/htmlTreeAsString.ts
 */
export function elementPath(target: EventTarget | null): string {
  let element = target as HTMLElement | null;
  let path = "";
  for (let n = 0; element?.tagName && n < maxElements; n++) {
    const text = elementText(element);
    const longer = path ? `${text} > ${path}` : text;
    if (text === "html" || (path && longer.length >= maxLength)) break;
    path = longer;
    element = element.parentElement;
  }
  return path;
}

function elementText(element: HTMLElement): string {
  const { sentryComponent, sentryElement } = element.dataset ?? {};
  let text = element.tagName.toLowerCase();
  for (const name of attributes) {
    const value = element.getAttribute(name);
    if (!value) continue;
    if (name === "id") text += `#${value}`;
    else if (name === "class") text += `.${value.split(/\s+/).join(".")}`;
    else text += `[${name}="${value}"]`;
  }
  return sentryComponent || sentryElement || text;
}
