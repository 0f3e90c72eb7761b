import { promisify } from "node:util";
import * as zlib from "node:zlib";

/** Node's result with the option `info`. */
interface Decompressed {
  buffer: Buffer;
  /** `bytesWritten`: how many bytes of the input were used. */
  engine: { bytesWritten: number };
}

type Decompress = (
  input: Buffer,
  options: { info: true; maxOutputLength: number },
  done: (error: Error | null, result: Decompressed) => void,
) => void;

// Node's types don't know the result with `info`.
const gunzip = promisify(zlib.gunzip as unknown as Decompress);
const inflate = promisify(zlib.inflate as unknown as Decompress);
const inflateRaw = promisify(zlib.inflateRaw as unknown as Decompress);
const brotli = promisify(zlib.brotliDecompress as unknown as Decompress);

/**
 * How many bodies are decompressed at once, to bound what that takes beside them: a stream of brotli may
 * ask for 16 MiB. One is done in some milliseconds.
 */
const maxAtOnce = 2;

const encodings = ["identity", "gzip", "deflate", "br"] as const;

export type Encoding = (typeof encodings)[number];

/**
 * @param header `Content-Encoding`
 * @returns nothing for an encoding that the tunnel doesn't read, or for several at once
 */
export function readEncoding(header: string | undefined): Encoding | undefined {
  const name = header?.trim().toLowerCase() || "identity";
  return encodings.find((encoding) => encoding === name);
}

/** Decompresses bodies off the main thread, few at once. */
export class Decompressor {
  #atOnce = 0;
  readonly #waiting: (() => void)[] = [];

  /**
   * Decompresses at most `maxBytes`, and stops there.
   *
   * @returns the bytes, or what is wrong with them
   */
  async decompress(
    bytes: Uint8Array,
    encoding: Encoding,
    maxBytes: number,
  ): Promise<Uint8Array | "too_large" | "corrupt"> {
    if (encoding === "identity") return bytes;
    const input = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    if (this.#atOnce < maxAtOnce) this.#atOnce += 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      const decoder = decoderOf(encoding, input);
      const { buffer, engine } = await decoder(input, { info: true, maxOutputLength: maxBytes });
      // Node refuses anything but padding after the end of a gzip. After the others it allows anything.
      const complete = encoding === "gzip" || engine.bytesWritten === input.length;
      return complete ? buffer : "corrupt";
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      return code === "ERR_BUFFER_TOO_LARGE" ? "too_large" : "corrupt";
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#atOnce -= 1;
    }
  }
}

function decoderOf(encoding: Exclude<Encoding, "identity">, input: Buffer) {
  if (encoding === "gzip") return gunzip;
  if (encoding === "br") return brotli;
  return hasZlibHeader(input) ? inflate : inflateRaw;
}

/**
 * HTTP's "deflate" is the zlib format, but some clients send raw deflate data.
 * Source: https://www.rfc-editor.org/rfc/rfc1950#section-2.2
 */
function hasZlibHeader(input: Buffer): boolean {
  const [method = 0, flags = 0] = input;
  return (method & 0x0f) === 8 && ((method << 8) | flags) % 31 === 0;
}
