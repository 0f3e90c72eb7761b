import { gzipSync } from "node:zlib";

/**
 * @typedef {object} FirstLoad bytes of one page
 * @property {number} script all scripts a modern browser loads with the page, each gzipped
 * @property {number} html as it is
 * @property {number} htmlGzip
 */

/**
 * Weighs a page as a modern browser first loads it.
 *
 * @param {string} origin
 * @param {string} path
 * @param {Record<string, string>} [headers]
 * @returns {Promise<FirstLoad>}
 */
export async function firstLoad(origin, path, headers = {}) {
  const response = await fetch(origin + path, { headers });
  const html = Buffer.from(await response.arrayBuffer());
  const tags = html.toString().match(/<script\b[^>]*>/g) ?? [];
  const sources = tags
    .filter((tag) => !/\snomodule/i.test(tag))
    .flatMap((tag) => tag.match(/\ssrc="([^"]+)"/)?.[1] ?? []);
  const weights = await Promise.all(
    [...new Set(sources)].map((src) => weigh(new URL(src, origin))),
  );
  if (weights.length === 0) throw new Error(`${path} has no scripts (status ${response.status}).`);
  return {
    script: weights.reduce((sum, bytes) => sum + bytes, 0),
    html: html.length,
    htmlGzip: gzipSync(html).length,
  };
}

/** @param {URL} url */
async function weigh(url) {
  const response = await fetch(url, { headers: { "Accept-Encoding": "identity" } });
  if (!response.ok) throw new Error(`${url} answers ${response.status}.`);
  return gzipSync(Buffer.from(await response.arrayBuffer())).length;
}
