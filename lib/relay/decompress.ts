import { promisify } from "node:util";
import * as zlib from "node:zlib";

/** What Node hands over where it is asked for `info`. */
interface Unpacked {
  buffer: Buffer;
  /** `bytesWritten`: how many bytes it took of what it was given. */
  engine: { bytesWritten: number };
}

type Unpack = (
  packed: Buffer,
  options: { info: true; maxOutputLength: number },
  done: (error: Error | null, unpacked: Unpacked) => void,
) => void;

// Node's types know nothing of what `info` changes.
const gunzip = promisify(zlib.gunzip as unknown as Unpack);
const inflate = promisify(zlib.inflate as unknown as Unpack);
const inflateRaw = promisify(zlib.inflateRaw as unknown as Unpack);
const brotli = promisify(zlib.brotliDecompress as unknown as Unpack);

export type Encoding = "identity" | "gzip" | "deflate" | "br";

/** @returns nothing where it is none the relay reads, or several at once */
export function readEncoding(header: string | undefined): Encoding | undefined {
  const name = header?.trim().toLowerCase() || "identity";
  return name === "identity" || name === "gzip" || name === "deflate" || name === "br"
    ? name
    : undefined;
}

/**
 * Unpacks up to `maxBytes`, off the main thread, and stops there.
 *
 * @returns the bytes, or what is wrong with them
 */
export async function decompress(
  bytes: Uint8Array,
  encoding: Encoding,
  maxBytes: number,
): Promise<Uint8Array | "too_large" | "corrupt"> {
  if (encoding === "identity") return bytes;
  const packed = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  try {
    const unpack = unpacker(encoding, packed);
    const { buffer, engine } = await unpack(packed, { info: true, maxOutputLength: maxBytes });
    // Behind a gzip's end only padding passes; the others would let anything stand there.
    const whole = encoding === "gzip" || engine.bytesWritten === packed.length;
    return whole ? buffer : "corrupt";
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ERR_BUFFER_TOO_LARGE" ? "too_large" : "corrupt";
  }
}

function unpacker(encoding: Exclude<Encoding, "identity">, packed: Buffer) {
  if (encoding === "gzip") return gunzip;
  if (encoding === "br") return brotli;
  return isZlib(packed) ? inflate : inflateRaw;
}

/**
 * HTTP's "deflate" is the zlib format, yet some senders leave its frame away.
 * Source: https://www.rfc-editor.org/rfc/rfc1950#section-2.2
 */
function isZlib(packed: Buffer): boolean {
  const [method = 0, flags = 0] = packed;
  return (method & 0x0f) === 8 && ((method << 8) | flags) % 31 === 0;
}
