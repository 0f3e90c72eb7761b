import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

/** A file that pages load, under a name that changes with it. */
export interface Asset {
  name: string;
  type: string;
  body: string;
}

// In what is published, each call is the file's text (build.js): a bundler would leave the file behind.
export const style = asset(
  "inbox.css",
  "text/css",
  [
    readFileSync(new URL("./assets/base.css", import.meta.url), "utf8"),
    readFileSync(new URL("./assets/frame.css", import.meta.url), "utf8"),
    readFileSync(new URL("./assets/error-list.css", import.meta.url), "utf8"),
    readFileSync(new URL("./assets/error-report.css", import.meta.url), "utf8"),
    readFileSync(new URL("./assets/performance.css", import.meta.url), "utf8"),
  ].join("\n"),
);
export const script = asset(
  "refresh.js",
  "text/javascript",
  readFileSync(new URL("./assets/refresh.js", import.meta.url), "utf8"),
);

function asset(file: string, type: string, body: string): Asset {
  const hash = createHash("sha256").update(body).digest("hex").slice(0, 12);
  return { name: file.replace(".", `.${hash}.`), type: `${type}; charset=utf-8`, body };
}
