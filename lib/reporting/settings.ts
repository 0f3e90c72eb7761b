import { basePath } from "@/lib/config/public";
import { type BrowserSettings, lastSettings, settingsKey } from "./last-settings";

/** Milliseconds that reports may wait for their settings. */
const patience = 3000;

/** The settings of this server, or the last known ones where they can't be had. */
export async function browserSettings(): Promise<BrowserSettings> {
  try {
    const response = await fetch(`${basePath}/api/settings`, {
      signal: AbortSignal.timeout(patience),
    });
    if (response.ok) {
      const settings = await response.json();
      remember(settings);
      return settings;
    }
  } catch {
    // Offline, cut off or too slow: an error's report matters more than its settings.
  }
  return lastSettings();
}

function remember(settings: BrowserSettings): void {
  try {
    sessionStorage[settingsKey] = JSON.stringify(settings);
  } catch {
    // The browser lets this page store nothing: it asks again.
  }
}
