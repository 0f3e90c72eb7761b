import { readFileSync, statSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { gunzipSync } from "node:zlib";
import type { BuiltPosition } from "./frames.ts";
import { findSources } from "./source-map.ts";

/*
 * The thread that looks up positions in source maps: reading one takes up to a second. It keeps none.
 * A map that can't be used ends it with the error. It is given the `distDir` of `findSources`.
 */

export interface LookUp<Position = BuiltPosition> {
  /** Of the map. */
  path: string;
  /** In its built file. */
  positions: Position[];
}

/** No map of an app comes near it: the largest here, of the whole server SDK, has 10 MB. */
const maxMapBytes = 32_000_000;

parentPort?.on("message", ({ path, positions }: LookUp) => {
  if (statSync(path).size > maxMapBytes) throw new Error("The map is too large.");
  const json = gunzipSync(readFileSync(path), { maxOutputLength: maxMapBytes }).toString();
  parentPort?.postMessage(findSources(JSON.parse(json), positions, workerData));
});

// It has started.
parentPort?.postMessage(undefined);
