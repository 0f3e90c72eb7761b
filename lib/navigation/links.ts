import Router from "next/router";
import { placeOf } from "@/lib/routes/location";
import { forgetFullLoads } from "./full-load";
import { isPending, onNavigation } from "./lifecycle";

/**
 * Makes the page's plain links navigate by the router, and fetches ahead the code and data of what
 * they lead to: of links in the main content that come into view, and of any link that the pointer
 * or the focus comes to. One listener on the document serves every `<a href>`, whoever put it
 * there, and weighs a fifth of `next/link`, which may be used beside it.
 */
export function followLinks(): void {
  document.addEventListener("click", onClick);
  addEventListener("popstate", forgetFullLoads);
  for (const type of ["pointerover", "focusin", "touchstart"]) {
    document.addEventListener(type, onApproach, { passive: true });
  }
  watchView();
}

function onApproach(event: Event): void {
  const link = linkOf(event.target);
  const { relatedTarget } = event as PointerEvent;
  // From one part of a link to another is no approach.
  if (link && !(relatedTarget instanceof Node && link.contains(relatedTarget))) prefetch(link);
}

function onClick(event: MouseEvent): void {
  const { button, metaKey, ctrlKey, shiftKey, altKey, defaultPrevented, target } = event;
  if (defaultPrevented || button || metaKey || ctrlKey || shiftKey || altKey) return;
  const link = linkOf(target);
  const place = link && placeOfLink(link);
  if (!place || !Router.router) return;
  event.preventDefault();
  forgetFullLoads();
  void Router.push(place.path, undefined, { locale: place.locale });
}

function linkOf(target: EventTarget | null) {
  return target instanceof Element ? target.closest<HTMLAnchorElement>("a[href]") : null;
}

function placeOfLink(link: HTMLAnchorElement) {
  if (link.target || link.hasAttribute("download")) return undefined;
  return link.origin === location.origin ? placeOf(new URL(link.href)) : undefined;
}

function prefetch(link: HTMLAnchorElement): void {
  // What is here already, or elsewhere on this page, needs nothing.
  if (link.pathname + link.search === location.pathname + location.search) return;
  const place = placeOfLink(link);
  if (!place) return;
  // What can't be had ahead is asked for again by the click, which then tells.
  Router.router?.prefetch(place.path, undefined, { locale: place.locale }).catch(() => {});
}

function watchView(): void {
  const view = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      view.unobserve(target);
      prefetch(target as HTMLAnchorElement);
    }
  });
  const watch = () => {
    view.disconnect();
    for (const link of document.querySelectorAll("main a[href]")) view.observe(link);
  };
  addEventListener("load", watch);
  onNavigation((navigation) => isPending(navigation) || watch());
}
