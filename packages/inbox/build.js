import { copyFileSync } from "node:fs";
import { compile } from "../compile.js";

compile(import.meta.dirname);
// What browsers load goes along as it is.
copyFileSync("src/assets/inbox.css", "dist/assets/inbox.css");
