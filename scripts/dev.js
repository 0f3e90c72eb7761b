import { runtimeConfig } from "../lib/config/runtime.js";
import { hasInbox } from "../lib/routes/built-in.js";
import { exitOnConfigError, prepareEnvironment } from "./environment.js";

prepareEnvironment("development");
await exitOnConfigError(async () => {
  const { dsn, inboxToken, inboxTokenIsRandom } = runtimeConfig();
  // `next dev` serves from another process, which must use the token that is printed here.
  process.env.INBOX_TOKEN = inboxToken;
  if (!dsn && hasInbox && inboxTokenIsRandom) console.log(`Inbox: /reports?token=${inboxToken}`);
  process.argv = [process.execPath, "next", "dev", ...process.argv.slice(2)];
  await import("next/dist/bin/next");
});
