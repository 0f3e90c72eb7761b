import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { compile } from "../compile.js";

compile(import.meta.dirname, (file, text) => {
  if (file !== "assets.js") return text;
  for (const name of readdirSync("src/assets")) {
    const read = `readFileSync(new URL("./assets/${name}", import.meta.url), "utf8")`;
    text = text.replace(read, () => JSON.stringify(readFileSync(join("src/assets", name), "utf8")));
  }
  if (text.includes("import.meta")) throw new Error(`${file} reads a file at run time`);
  return text;
});
