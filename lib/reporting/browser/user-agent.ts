/** What is told of the visitor's browser: its name and major version, never the whole header. */
export interface BrowserContext {
  name: string;
  version: string;
}

/** In the order of asking: Edge and Opera also call themselves Chrome, and Chrome calls itself Safari. */
const browsers: [name: string, version: RegExp][] = [
  ["Edge", /\bEdg(?:e|A|iOS)?\/(\d+)/],
  ["Opera", /\bOPR\/(\d+)/],
  ["Firefox", /\b(?:Firefox|FxiOS)\/(\d+)/],
  ["Chrome", /\b(?:Headless)?(?:Chrome|CriOS)\/(\d+)/],
  ["Safari", /\bVersion\/(\d+).*\bSafari\//],
];

/** @param userAgent as `navigator.userAgent` has it */
export function browserContext(userAgent: string): BrowserContext | undefined {
  for (const [name, pattern] of browsers) {
    const version = pattern.exec(userAgent)?.[1];
    if (version) return { name, version };
  }
  return undefined;
}
