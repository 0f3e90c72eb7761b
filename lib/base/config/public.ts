/** The build's settings, for code of the browser and the server. next.config.js sets these values. */
export const basePath = process.env.NEXT_PUBLIC_BASE_PATH ?? "";
export const tunnelPath = `${basePath}/api/${process.env.NEXT_PUBLIC_TUNNEL ?? "relay"}`;
/** Where visitors find the app, for search engines; nothing where the build was not told. */
export const siteOrigin = process.env.SITE_ORIGIN || undefined;
