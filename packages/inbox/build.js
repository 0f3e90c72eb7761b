import { compile } from "../compile.js";

compile(import.meta.dirname);
