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

/** The settings of this server, or the build's defaults where they can't be had. */
export async function browserSettings(): Promise<BrowserSettings> {
  try {
    const response = await fetch(`${basePath}/api/settings`, {
      signal: AbortSignal.timeout(patience),
    });
    if (response.ok) return await response.json();
  } catch {
    // Offline, cut off or too slow: an error's report matters more than its settings.
  }
  return {
    release: window.__NEXT_DATA__.buildId,
    environment: "production",
    tracesSampleRate: 0.1,
  };
}
