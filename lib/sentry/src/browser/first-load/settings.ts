import { tunnelPath } from "./app.ts";
import { fetch } from "./requests.ts";
import { readSession, writeSession } from "./session-storage.ts";

/** What the server says about reporting in the browser. The bundle holds none of it. */
interface BrowserSettings {
  release: string;
  environment: string;
  /** 0 to 1 */
  tracesSampleRate: number;
}

/** Milliseconds that reports wait for the settings. */
const timeout = 3000;

/** Milliseconds for which an answer holds, and a failure: what asks next mostly asks in the same moment. */
const maxAge = 10_000;

let asked: Promise<BrowserSettings> | undefined;

/**
 * The server's settings for this page's build. If they can't be fetched (offline, too slow), those that
 * this tab got last, or else the defaults of the build: an error must be reported all the same.
 */
export function fetchSettings(): Promise<BrowserSettings> {
  if (!asked) {
    asked = ask();
    setTimeout(() => {
      asked = undefined;
    }, maxAge);
  }
  return asked;
}

async function ask(): Promise<BrowserSettings> {
  const release = window.__NEXT_DATA__.buildId;
  const url = `${tunnelPath}/settings?build=${encodeURIComponent(release)}`;
  let settings = readSession<BrowserSettings>(url);
  try {
    const signal = AbortSignal.timeout(timeout);
    const response = await fetch(url, { signal });
    if (response.ok) {
      settings = await response.json();
      writeSession(url, settings);
    }
  } catch {
    // As when the server answers with an error.
  }
  // A server of another build may not know the release.
  return { release, environment: "production", tracesSampleRate: 0.1, ...settings };
}
