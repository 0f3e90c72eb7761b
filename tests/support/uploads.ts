import { mkdtempSync, rmSync } from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

/** A request to it. */
export interface Asked {
  method: string | undefined;
  path: string | undefined;
  authorization: string | undefined;
  body: Buffer;
}

/** A stand-in for the part of the service that takes source maps, and the variables of a build for it. */
export async function startUploads() {
  const asked: Asked[] = [];
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const { method, url: path, headers } = request;
      const { authorization } = headers;
      asked.push({ method, path, authorization, body: Buffer.concat(chunks) });
      response.setHeader("Content-Type", "application/json");
      response.end(JSON.stringify(answer(path ?? "")));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const assembled = new Set<string>();
  function answer(path: string): object {
    if (path.endsWith("/assemble/")) {
      const { checksum, chunks } = JSON.parse(String(asked.at(-1)?.body));
      if (assembled.has(checksum)) return { state: "ok", missingChunks: [] };
      assembled.add(checksum);
      return { state: "not_found", missingChunks: chunks };
    }
    if (!path.endsWith("/chunk-upload/")) return {};
    return {
      url: url + path,
      chunkSize: 8_388_608,
      chunksPerRequest: 64,
      maxRequestSize: 33_554_432,
      concurrency: 1,
      hashAlgorithm: "sha1",
      compression: ["gzip"],
      accept: ["artifact_bundles", "artifact_bundles_v2"],
    };
  }
  // What the uploader learns of a service it keeps in the user's home, for the next time.
  const home = mkdtempSync(join(tmpdir(), "signpost-uploads-"));
  function close() {
    server.closeAllConnections();
    server.close();
    rmSync(home, { recursive: true });
  }
  const env = {
    ...{ SENTRY_AUTH_TOKEN: "the-token", SENTRY_ORG: "o", SENTRY_PROJECT: "p", SENTRY_URL: url },
    SENTRY_CONFIG_DIR: home,
    SENTRY_NO_CACHE: "1",
  };
  return { url, env, asked, close };
}

/** The archive in the first gzipped part of a multipart body, which has its files in the clear. */
export function uploadedArchive(body: Buffer = Buffer.alloc(0)): string {
  const start = body.indexOf(Buffer.from([0x1f, 0x8b]));
  return gunzipSync(body.subarray(start, body.lastIndexOf("\r\n--"))).toString("latin1");
}

/** The source maps in such an archive, a ZIP that compresses nothing, each with its debug id before it. */
export function uploadedMaps(archive: string): [id: string, map: string][] {
  const bytes = Buffer.from(archive, "latin1");
  const maps: [string, string][] = [];
  for (let at = bytes.indexOf("PK\x03\x04"); at >= 0; at = bytes.indexOf("PK\x03\x04", at + 1)) {
    const name = at + 30;
    const text = name + bytes.readUInt16LE(at + 26) + bytes.readUInt16LE(at + 28);
    if (!bytes.toString("utf8", name, text).endsWith(".map")) continue;
    const map = bytes.toString("utf8", text, text + bytes.readUInt32LE(at + 18));
    maps.push([JSON.parse(map).debug_id, map]);
  }
  return maps;
}
