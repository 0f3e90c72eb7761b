/** Build-time settings as browser and server code see them; next.config.js puts the checked values in. */
export const basePath = process.env.NEXT_PUBLIC_BASE_PATH ?? "";
export const tunnelPath = `${basePath}/api/${process.env.NEXT_PUBLIC_TUNNEL ?? "relay"}`;
