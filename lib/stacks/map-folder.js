import { closeSync, fstatSync, openSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { gunzipSync } from "node:zlib";
import { checkJson } from "./json-limits.js";
import { SourceMap } from "./source-map.js";

const ending = ".map.gz";
/** No map of an app comes near it: the largest here, of the whole server SDK, has 10 MB. */
const maxMapBytes = 32_000_000;
/** The part of the cache that strangers can't take from the maps of the server's own errors. */
const serverShare = 3 / 4;

/**
 * @typedef {object} Cached
 * @property {SourceMap} [map] missing where it can't be used
 * @property {boolean} public whether only requests have used it that anybody may have made
 */

/**
 * The maps in the folder that the build has left. A file's name from a report is only looked up
 * among the names that are there, never made into a path.
 */
export class MapFolder {
  /** @type {Map<string, Map<string, string>>} by build, then by built file: the map's path */
  #builds = new Map();
  /** @type {Map<string, Cached>} by path, that used last at the end */
  #cache = new Map();
  /** @type {string} */
  #root;
  /** @type {number} */
  #maxCacheBytes;

  /**
   * @param {string} folder
   * @param {number} maxCacheBytes of all maps kept in memory; one that is larger is not kept
   * @throws {Error} where it can't be read
   */
  constructor(folder, maxCacheBytes) {
    this.#root = realpathSync(folder);
    this.#maxCacheBytes = maxCacheBytes;
    // Links are neither folders nor files here: they are passed over.
    for (const entry of readdirSync(this.#root, { withFileTypes: true })) {
      if (entry.isDirectory())
        this.#builds.set(entry.name, mapsBelow(join(this.#root, entry.name)));
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

  /** @param {(cached: Cached) => boolean} isCounted */
  #bytesOf(isCounted) {
    let bytes = 0;
    for (const cached of this.#cache.values()) if (isCounted(cached)) bytes += sizeOf(cached);
    return bytes;
  }

  /**
   * The map of a built file: of the given builds, or else, where a file's name changes with its
   * content, of any.
   *
   * @param {string} file such as `static/chunks/0abc.js`
   * @param {readonly string[]} builds those to look in first
   * @param {boolean} [isPublic] whether anybody may have asked
   * @returns {SourceMap | undefined} undefined also where it could not be used before
   * @throws {Error} where it can't be used: missing, cut off, too large, or no map
   */
  find(file, builds, isPublic = false) {
    const others = file.startsWith("static/") ? [...this.#builds.keys()] : [];
    for (const build of [...builds, ...others]) {
      const path = this.#builds.get(build)?.get(file);
      if (path) return this.#load(file, path, isPublic);
    }
    return undefined;
  }

  /**
   * @param {string} file
   * @param {string} path
   * @param {boolean} isPublic
   */
  #load(file, path, isPublic) {
    const known = this.#cache.get(path);
    /** @type {Cached} */
    const cached = { map: known?.map, public: isPublic && (known?.public ?? true) };
    this.#cache.delete(path);
    // Stays where reading it fails, so that it is not read again for each frame.
    this.#cache.set(path, cached);
    if (!known) cached.map = new SourceMap(`.next/${file}`, readMap(path, this.#root));
    return cached.map;
  }

  /**
   * Forgets the maps used longest ago, as many as are too many: first those beyond the server's
   * share, then those that only strangers have asked for. Maps grow as they are used.
   */
  trim() {
    this.#forget((cached) => !cached.public, this.#maxCacheBytes * serverShare);
    const others = this.#maxCacheBytes - this.#bytesOf((cached) => !cached.public);
    this.#forget((cached) => cached.public, others);
  }

  /**
   * @param {(cached: Cached) => boolean} mayLeave
   * @param {number} maxBytes of those that may leave
   */
  #forget(mayLeave, maxBytes) {
    let bytes = this.#bytesOf(mayLeave);
    for (const [path, cached] of this.#cache) {
      if (bytes <= maxBytes) return;
      if (!mayLeave(cached)) continue;
      bytes -= sizeOf(cached);
      this.#cache.delete(path);
    }
  }
}

/** @param {Cached} cached */
function sizeOf({ map }) {
  return map?.bytes ?? 0;
}

/**
 * @param {string} folder of one build
 * @returns {Map<string, string>} by built file
 */
function mapsBelow(folder) {
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

/**
 * @param {string} path
 * @param {string} root
 * @returns {string}
 * @throws {Error}
 */
function readMap(path, root) {
  // A folder may have been replaced by a link since it was listed.
  const real = realpathSync(path);
  if (!real.startsWith(root + sep)) throw new Error("The map leads out of its folder.");
  const file = openSync(real, "r");
  try {
    const stat = fstatSync(file);
    if (!stat.isFile() || stat.size > maxMapBytes) throw new Error("The map is too large.");
    const json = gunzipSync(readFileSync(file), { maxOutputLength: maxMapBytes });
    checkJson(json);
    return json.toString();
  } finally {
    closeSync(file);
  }
}
