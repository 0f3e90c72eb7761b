/** What the server says about reporting in the browser. The bundle holds none of it. */
export interface BrowserSettings {
  release: string;
  environment: string;
  /** 0 to 1 */
  tracesSampleRate: number;
}

/** The settings are stored in `sessionStorage` under this key. */
export const settingsKey = "signpost-settings";

/** The settings that this tab last got from the server, or else the defaults of the build. */
export function storedSettings(): BrowserSettings {
  const { buildId } = window.__NEXT_DATA__;
  const defaults = { release: buildId, environment: "production", tracesSampleRate: 0.1 };
  try {
    return { ...defaults, ...JSON.parse(sessionStorage[settingsKey] ?? "{}") };
  } catch {
    // The browser allows this page no storage.
    return defaults;
  }
}
