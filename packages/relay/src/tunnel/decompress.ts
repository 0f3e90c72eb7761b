import { promisify } from "node:util";
import * as zlib from "node:zlib";

/** Node's result with the option `info`, of which its types don't know. */
interface Decompressed {
  buffer: Buffer;
  /** `bytesWritten`: how many bytes of the input were used. */
  engine: { bytesWritten: number };
}

type Decompress = (
  input: Uint8Array,
  options: { info: true; maxOutputLength: number },
  done: (error: Error | null, result: Decompressed) => void,
) => void;

/** HTTP's "deflate" is the zlib format: https://www.rfc-editor.org/rfc/rfc9110#section-8.4.1.2 */
const decoders = {
  gzip: promisify(zlib.gunzip as unknown as Decompress),
  deflate: promisify(zlib.inflate as unknown as Decompress),
  br: promisify(zlib.brotliDecompress as unknown as Decompress),
};

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

/**
 * Decompresses off the main thread: at most `maxBytes`, and stops there.
 *
 * @returns the bytes, or what is wrong with them
 */
export async function decompress(
  bytes: Uint8Array,
  encoding: Exclude<Encoding, "identity">,
  maxBytes: number,
): Promise<Uint8Array | "too_large" | "corrupt"> {
  try {
    const options = { info: true, maxOutputLength: maxBytes } as const;
    const { buffer, engine } = await decoders[encoding](bytes, options);
    // Node refuses anything but padding after the end of a gzip. After the others it allows anything.
    const complete = encoding === "gzip" || engine.bytesWritten === bytes.length;
    return complete ? buffer : "corrupt";
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ERR_BUFFER_TOO_LARGE" ? "too_large" : "corrupt";
  }
}
