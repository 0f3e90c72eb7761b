import { readFileSync } from "node:fs";
import { join } from "node:path";
import { dist } from "./first-load";
import type { Variant } from "./server";

/** Whether the server of a build converts images: whether next.config.js leaves out `loaderFile`. */
export function convertsImages(variant: Variant): boolean {
  const file = join(dist(variant), "required-server-files.json");
  return JSON.parse(readFileSync(file, "utf8")).config.images.loader === "default";
}
