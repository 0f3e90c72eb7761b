import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { gunzipSync } from "node:zlib";
import { SourceMap } from "./source-map.ts";

const ending = ".map.gz";
/** No map of an app comes near it: the largest here, of the whole server SDK, has 10 MB. */
const maxMapBytes = 32_000_000;
/** The part of the cache that is left to the maps of the server's own errors. */
const serverShare = 3 / 4;

interface Cached {
  /** None if the map can't be used. */
  map?: SourceMap;
  /** Whether only public requests have used it, see `MapRequest`. */
  public: boolean;
}

/**
 * The maps in the folder that the build has left. A file's name from a report is only looked up
 * among the names that are there, never made into a path.
 */
export class MapFolder {
  /** By build, then by built file: the map's path. */
  #builds: Map<string, Map<string, string>> = new Map();
  /** By path, that used last at the end. */
  #cache: Map<string, Cached> = new Map();
  #maxCacheBytes: number;

  /**
   * @param maxCacheBytes of all maps kept in memory; one that is larger is not kept
   * @throws {Error} where it can't be read
   */
  constructor(folder: string, maxCacheBytes: number) {
    this.#maxCacheBytes = maxCacheBytes;
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.isDirectory()) this.#builds.set(entry.name, mapsBelow(join(folder, entry.name)));
    }
  }

  /** The built files that have a map, of all builds. */
  get files() {
    return new Set([...this.#builds.values()].flatMap((paths) => [...paths.keys()]));
  }

  /** What the maps in memory take, in bytes. */
  get cachedBytes() {
    return this.#bytesOf(() => true);
  }

  #bytesOf(isCounted: (cached: Cached) => boolean): number {
    let bytes = 0;
    for (const cached of this.#cache.values()) if (isCounted(cached)) bytes += sizeOf(cached);
    return bytes;
  }

  /**
   * The map of a built file: of the given builds, or else, where a file's name changes with its
   * content, of any.
   *
   * @param file such as `static/chunks/0abc.js`
   * @param builds those to look in first
   * @param isPublic see `MapRequest`
   * @returns undefined if there is none, or if an earlier call has thrown
   * @throws {Error} where it can't be used: missing, cut off, too large, or no map
   */
  find(file: string, builds: readonly string[], isPublic = false): SourceMap | undefined {
    const others = file.startsWith("static/") ? [...this.#builds.keys()] : [];
    for (const build of [...builds, ...others]) {
      const path = this.#builds.get(build)?.get(file);
      if (path) return this.#load(file, path, isPublic);
    }
    return undefined;
  }

  #load(file: string, path: string, isPublic: boolean): SourceMap | undefined {
    const known = this.#cache.get(path);
    const cached: Cached = { map: known?.map, public: isPublic && (known?.public ?? true) };
    this.#cache.delete(path);
    // Stays where reading it fails, so that it is not read again for each frame.
    this.#cache.set(path, cached);
    if (!known) cached.map = new SourceMap(`.next/${file}`, readMap(path));
    return cached.map;
  }

  /**
   * Evicts the least recently used maps: those of the server's errors beyond their share, then, of
   * those that only browsers' errors have used, what the rest can't hold. Maps grow as they are used.
   */
  trim() {
    this.#forget((cached) => !cached.public, this.#maxCacheBytes * serverShare);
    const others = this.#maxCacheBytes - this.#bytesOf((cached) => !cached.public);
    this.#forget((cached) => cached.public, others);
  }

  /** @param maxBytes of the maps that `mayLeave` */
  #forget(mayLeave: (cached: Cached) => boolean, maxBytes: number): void {
    let bytes = this.#bytesOf(mayLeave);
    for (const [path, cached] of this.#cache) {
      if (bytes <= maxBytes) return;
      if (!mayLeave(cached)) continue;
      bytes -= sizeOf(cached);
      this.#cache.delete(path);
    }
  }
}

function sizeOf({ map }: Cached): number {
  return map?.bytes ?? 0;
}

/**
 * @param folder of one build
 * @returns by built file
 */
function mapsBelow(folder: string): Map<string, string> {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) => join(entry.parentPath, entry.name));
  return new Map(
    paths.map((path) => [
      relative(folder, path).slice(0, -ending.length).split(sep).join("/"),
      path,
    ]),
  );
}

/** @throws {Error} */
function readMap(path: string): string {
  if (statSync(path).size > maxMapBytes) throw new Error("The map is too large.");
  return gunzipSync(readFileSync(path), { maxOutputLength: maxMapBytes }).toString();
}
