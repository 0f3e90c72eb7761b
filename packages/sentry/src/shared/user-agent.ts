/** Only so much of the header is read, which strangers write. */
const maxLength = 500;

/** In this order: Edge and Opera also claim to be Chrome, and Chrome claims to be Safari. */
const browsers: [name: string, version: RegExp][] = [
  ["Edge", /\bEdg(?:e|A|iOS)?\/(\d{1,4})/],
  ["Opera", /\bOPR\/(\d{1,4})/],
  ["Firefox", /\b(?:Firefox|FxiOS)\/(\d{1,4})/],
  ["Chrome", /\b(?:Headless)?(?:Chrome|CriOS)\/(\d{1,4})/],
  ["Safari", /\bVersion\/(\d{1,4}).*\bSafari\//],
];

/** In this order: iOS claims to be like Mac OS X, and Android and Chrome OS are Linux. */
const systems: [name: string, pattern: RegExp][] = [
  ["Windows", /\bWindows NT\b/],
  ["iOS", /\b(?:iPhone|iPad|iPod)\b/],
  ["macOS", /\bMacintosh\b/],
  ["Android", /\bAndroid\b/],
  ["Chrome OS", /\bCrOS\b/],
  ["Linux", /\bLinux\b/],
];

export interface UserAgent {
  browser?: { name: string; version: string };
  os?: { name: string };
}

/**
 * The browser's name and major version, and the name of the operating system, as Sentry's contexts.
 * Sentry would read them from the `User-Agent` header, but reports hold no headers. Systems have no
 * version: most browsers always say the same.
 */
export function readUserAgent(header: string): UserAgent {
  const text = header.slice(0, maxLength);
  const found: UserAgent = {};
  for (const [name, pattern] of browsers) {
    const version = pattern.exec(text)?.[1];
    if (version && !found.browser) found.browser = { name, version };
  }
  const system = systems.find(([, pattern]) => pattern.test(text));
  if (system) found.os = { name: system[0] };
  return found;
}
