import { basePath } from "@/lib/config/public";

/** What the server says of reporting in the browser; nothing of it is in the bundle. */
export interface BrowserSettings {
  release: string;
  environment: string;
  /** 0 to 1 */
  tracesSampleRate: number;
}

/** Milliseconds that reports may wait for their settings. */
const patience = 3000;

const key = "signpost-settings";

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
    sessionStorage[key] = JSON.stringify(settings);
  } catch {
    // The browser lets this page store nothing: it asks again.
  }
}

/** What was last heard of the server in this tab, or the build's defaults. */
export function lastSettings(): BrowserSettings {
  const { buildId } = window.__NEXT_DATA__;
  const defaults = { release: buildId, environment: "production", tracesSampleRate: 0.1 };
  try {
    return { ...defaults, ...JSON.parse(sessionStorage[key] ?? "{}") };
  } catch {
    return defaults;
  }
}
