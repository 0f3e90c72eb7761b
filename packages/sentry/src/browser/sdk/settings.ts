import { fetch } from "../first-load/requests.ts";
import { settingsUrl } from "../first-load/visit.ts";

/** What the server says about reporting in the browser. The bundle holds none of it. */
interface BrowserSettings {
  release: string;
  environment: string;
  /** 0 to 1 */
  tracesSampleRate: number;
}

/** Milliseconds that reports wait for the settings. */
const timeout = 3000;

/**
 * The server's settings for this page's build. If they can't be fetched (offline, too slow), those that
 * this tab got last, or else the defaults of the build: an error must be reported all the same.
 * The browser keeps the answer for five minutes, also the one that the page has asked for.
 */
export async function fetchSettings(): Promise<BrowserSettings> {
  const release = window.__NEXT_DATA__.buildId;
  const url = settingsUrl();
  let settings: unknown = stored(url);
  try {
    const signal = AbortSignal.timeout(timeout);
    const response = await fetch(url, { signal });
    if (response.ok) {
      settings = await response.json();
      sessionStorage.setItem(url, JSON.stringify(settings));
    }
  } catch {
    // As when the server answers with an error.
  }
  // A server of another build may not know the release.
  const defaults = { release, environment: "production", tracesSampleRate: 0.1 };
  // A proxy may have answered, and another script may have stored anything.
  const usable = Object.entries(Object(settings)).filter(
    ([name, value]) => typeof value === typeof defaults[name as keyof BrowserSettings],
  );
  return { ...defaults, ...Object.fromEntries(usable) };
}

function stored(url: string): unknown {
  try {
    return JSON.parse(sessionStorage.getItem(url) ?? "{}");
  } catch {
    // The browser may forbid storage.
    return {};
  }
}
