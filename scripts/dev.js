import "./node-version.js";
import { runtimeConfig } from "../lib/config/runtime.js";
import { orRefuse, prepareEnvironment } from "./environment.js";

prepareEnvironment("development");
await orRefuse(async () => {
  const { dsn, inboxToken, inboxTokenIsRandom } = runtimeConfig();
  // `next dev` serves from a process of its own, which is to use the token shown here.
  process.env.INBOX_TOKEN = inboxToken;
  if (!dsn && inboxTokenIsRandom) console.log(`Inbox: /reports?token=${inboxToken}`);
  process.argv = [process.execPath, "next", "dev", ...process.argv.slice(2)];
  await import("next/dist/bin/next");
});
