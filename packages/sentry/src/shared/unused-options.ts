const instead: Record<string, string> = {
  dsn: "reports go to this app's own server, which knows the service by SENTRY_DSN",
  tunnel: "reports go to this app's own server: withSentryConfig's tunnelRoute names the path",
  transport: "reports go to this app's own server",
  sendDefaultPii: "private data is allowed by name, in the option allowedNames",
  dataCollection: "private data is allowed by name, in the option allowedNames",
};

/**
 * @param names of options that are not followed
 * @returns a sentence for each of them that is given
 */
export function unusedOptions(given: object, names: (keyof typeof instead)[]): string[] {
  return names
    .filter((name) => (given as Record<string, unknown>)[name] !== undefined)
    .map((name) => `Sentry.init: ${name} has no effect here: ${instead[name]}.`);
}
