/** What the server says of reporting in the browser; nothing of it is in the bundle. */
export interface BrowserSettings {
  release: string;
  environment: string;
  /** 0 to 1 */
  tracesSampleRate: number;
}

/** Where the settings are kept for the rest of the visit. */
export const settingsKey = "signpost-settings";

/** What was last heard of the server in this tab, or the build's defaults. */
export function lastSettings(): BrowserSettings {
  const { buildId } = window.__NEXT_DATA__;
  const defaults = { release: buildId, environment: "production", tracesSampleRate: 0.1 };
  try {
    return { ...defaults, ...JSON.parse(sessionStorage[settingsKey] ?? "{}") };
  } catch {
    // The browser lets this page store nothing.
    return defaults;
  }
}
