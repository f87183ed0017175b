import type { Refusal } from "./field-scanner.ts";
import { cr, hexDigits, lf, tokenBytes, valueBytes } from "./bytes.ts";

/** Part of a chunked body that the next byte belongs to. */
type ChunkPart =
  | "size"
  | "extension"
  | "extensionName"
  | "extensionValue"
  | "token"
  | "quoted"
  | "escaped"
  | "quoteEnd"
  | "lineEnd"
  | "data"
  | "dataCr"
  | "dataLf"
  | "trailers";

/** Maximum number of digits of a chunk size. */
const maxSizeDigits = 8;

/** Maximum size of all chunk extensions of a body, in bytes. */
export const maxExtensionBytes: number = 16 * 1024;

/**
 * Scans a chunked body up to its trailers (RFC 9112 §7.1). It keeps all its state between two calls, so that it consumes every
 * byte. Extensions are checked and dropped (§7.1.1). Blanks around them, and bare CR or LF, are refused.
 */
export class ChunkScanner {
  refusal: Refusal | undefined;
  /** Bytes of the data that `scan` found last, from `dataStart` to `dataEnd`. */
  dataStart = 0;
  dataEnd = 0;
  #part: ChunkPart = "size";
  #digits = 0;
  #remainingBytes = 0;
  #extensionBytes = 0;

  /** True once the last chunk was scanned. Trailers follow. */
  get isAtTrailers(): boolean {
    return this.#part === "trailers";
  }

  /**
   * Scans up to the end of the next piece of data, of the last chunk, or of the bytes. The piece of data may be empty.
   *
   * @returns position after the last scanned byte; -1 if the body is refused (`refusal`)
   */
  scan(bytes: Uint8Array, start: number, end: number): number {
    this.dataStart = this.dataEnd = start;
    for (let at = start; at < end; at += 1) {
      const byte = bytes[at] as number;
      switch (this.#part) {
        case "size":
          if (!this.#readSize(byte)) return this.#refuse(400, "has a malformed chunk size");
          break;
        case "data": {
          this.dataStart = at;
          this.dataEnd = Math.min(end, at + this.#remainingBytes);
          this.#remainingBytes -= this.dataEnd - at;
          if (this.#remainingBytes === 0) this.#part = "dataCr";
          return this.dataEnd;
        }
        case "dataCr":
          if (byte !== cr) return this.#refuse(400, "has a chunk that is longer than its size");
          this.#part = "dataLf";
          break;
        case "dataLf":
          if (byte !== lf) return this.#refuse(400, "has a line without CRLF");
          this.#part = "size";
          this.#digits = 0;
          break;
        case "lineEnd":
          if (byte !== lf) return this.#refuse(400, "has a line without CRLF");
          this.#part = "data";
          if (this.#remainingBytes > 0) break;
          this.#part = "trailers";
          return at + 1;
        default:
          if (!this.#readExtension(byte)) return this.#refuse(400, "has a malformed chunk extension");
          this.#extensionBytes += 1;
          if (this.#extensionBytes > maxExtensionBytes) {
            return this.#refuse(413, `has chunk extensions of more than ${maxExtensionBytes} bytes`);
          }
      }
    }
    return end;
  }

  #readSize(byte: number): boolean {
    const digit = hexDigits[byte] as number;
    if (digit < 16) {
      this.#remainingBytes = this.#digits === 0 ? digit : this.#remainingBytes * 16 + digit;
      this.#digits += 1;
      return this.#digits <= maxSizeDigits;
    }
    return this.#digits > 0 && this.#readElementEnd(byte);
  }

  /** Reads the byte behind a size, a name or a value: CR, or the semicolon before an extension. */
  #readElementEnd(byte: number): boolean {
    if (byte === cr) this.#part = "lineEnd";
    else if (byte === semicolon) this.#part = "extension";
    else return false;
    return true;
  }

  #readExtension(byte: number): boolean {
    const isToken = tokenBytes[byte] === 1;
    switch (this.#part) {
      case "extension":
        this.#part = "extensionName";
        return isToken;
      case "extensionName":
        if (isToken) return true;
        if (byte !== equalsSign) return this.#readElementEnd(byte);
        this.#part = "extensionValue";
        return true;
      case "extensionValue":
        this.#part = byte === quote ? "quoted" : "token";
        return byte === quote || isToken;
      case "token":
        return isToken || this.#readElementEnd(byte);
      case "quoted":
        if (byte === quote) this.#part = "quoteEnd";
        else if (byte === backslash) this.#part = "escaped";
        return valueBytes[byte] === 1;
      case "escaped":
        this.#part = "quoted";
        return valueBytes[byte] === 1;
      default:
        return this.#readElementEnd(byte);
    }
  }

  #refuse(status: number, reason: string): -1 {
    this.refusal = { status, reason };
    return -1;
  }
}

const semicolon = 0x3b;
const equalsSign = 0x3d;
const quote = 0x22;
const backslash = 0x5c;
