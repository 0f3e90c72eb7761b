import { readFileSync } from "node:fs";
import { join } from "node:path";
import { compile } from "../compile.js";

const readsAsset = /readFileSync\(new URL\("(\.\/assets\/[\w.]+)", import\.meta\.url\), "utf8"\)/g;

compile(import.meta.dirname, (file, text) => {
  if (file !== "assets.js") return text;
  const withTexts = text.replace(readsAsset, (_, path) =>
    JSON.stringify(readFileSync(join("src", path), "utf8")),
  );
  if (withTexts.includes("import.meta")) throw new Error(`${file} reads a file at run time`);
  return withTexts;
});
