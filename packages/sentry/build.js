import { join } from "node:path";
import { compile } from "../compile.js";
import { withBrowserNames, withNames } from "./names-of-sdk.js";

compile(import.meta.dirname, (file, text) => {
  if (file === join("browser", "sdk", "names.js")) return withBrowserNames(text);
  return file === "index.server.js" || file.startsWith("server") ? withNames(text) : text;
});
