import { onArrival, onNavigation } from "./lifecycle";

/** Milliseconds after which Next has said what it has to say. */
const patience = 100;

/**
 * Lets Next's route announcer speak after every navigation. By itself it says nothing when the new
 * page has the title of the last, since its text then does not change; so the text is taken away
 * before, and put back if Next did not.
 */
export function announceOnArrival(): void {
  onNavigation(({ stages, shallow }) => {
    if (stages.at(-1) === "history" && !shallow) say("");
  });
  onArrival((kind) => {
    if (kind === "page") setTimeout(() => region()?.textContent || say(document.title), patience);
  });
}

function region(): HTMLElement | null {
  return document.getElementById("__next-route-announcer__");
}

function say(text: string): void {
  const element = region();
  if (element) element.textContent = text;
}
