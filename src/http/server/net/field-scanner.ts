import { cr, htab, lf, space, targetBytes, tokenBytes, valueBytes } from "./bytes.ts";
import type { RequestLine } from "./request-head.ts";

/** Malformed input, and the status of its response. */
export interface Refusal {
  readonly status: number;
  /** Predicate of the request, such as "has a line without CRLF". */
  readonly reason: string;
}

/** Part of a section that the next byte belongs to. */
type SectionPart = "method" | "target" | "version" | "lineStart" | "name" | "blanks" | "value" | "lineEnd" | "end";

/** Longest method, in bytes. A longer text is no request line. */
const maxMethodBytes = 64;

/**
 * Scans the head of a request, or its trailers, which have no request line. It reads each byte once, however the network
 * splits them: the caller passes all bytes of the section again, and the scanner goes on where it stopped. The result does
 * not depend on the cuts.
 *
 * Lines end with CRLF. A bare CR or LF, a folded line, and blanks before a colon or around the parts of the request line are
 * refused (RFC 9112 §2.2, §3, §5).
 */
export class FieldScanner implements RequestLine {
  methodEnd = 0;
  targetEnd = 0;
  minorVersion: 0 | 1 = 1;
  /** Start and end of the name, start and end of the value, of each line, relative to the start of the section. */
  positions: number[] = [];
  refusal: Refusal | undefined;
  readonly #maxBytes: number;
  #part: SectionPart = "method";
  /** Bytes that were scanned. */
  #scannedBytes = 0;
  /** Start of the version, name or value, relative to the start of the section. */
  #partStart = 0;

  /** @param maxBytes maximum size of a section, with the empty line */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Prepares for another section. */
  begin(part: "method" | "lineStart"): void {
    this.#part = part;
    this.#scannedBytes = 0;
    this.positions = [];
  }

  /**
   * Scans from the start of the section.
   *
   * @returns position after the empty line; -1 if the section is incomplete or refused (`refusal`)
   */
  scan(bytes: Uint8Array, start: number, end: number): number {
    const limit = Math.min(end, start + this.#maxBytes);
    let at = start + this.#scannedBytes;
    while (at < limit) {
      switch (this.#part) {
        case "method":
          at = skip(bytes, at, limit, tokenBytes);
          if (at - start > maxMethodBytes)
            return this.#refuse(400, `has a method of more than ${maxMethodBytes} bytes`);
          if (at === limit) break;
          if (bytes[at] !== space || at === start) return this.#refuse(400, "has a malformed request line");
          this.methodEnd = at - start;
          this.#part = "target";
          at += 1;
          break;
        case "target":
          at = skip(bytes, at, limit, targetBytes);
          if (at === limit) break;
          this.targetEnd = at - start;
          if (bytes[at] !== space || this.targetEnd === this.methodEnd + 1) {
            return this.#refuse(400, "has a malformed request line");
          }
          at += 1;
          this.#partStart = at - start;
          this.#part = "version";
          break;
        case "version": {
          const index = at - start - this.#partStart;
          const byte = bytes[at] as number;
          if (index === majorIndex || index === minorIndex ? !isDigit(byte) : byte !== version.charCodeAt(index)) {
            return this.#refuse(400, "has a malformed request line");
          }
          if (index === minorIndex && !this.#readVersion(bytes, start)) return -1;
          at += 1;
          if (index === version.length - 1) this.#part = "lineStart";
          break;
        }
        case "lineStart":
          if (bytes[at] === cr) {
            at += 1;
            this.#part = "end";
          } else {
            this.#partStart = at - start;
            this.#part = "name";
          }
          break;
        case "name":
          at = skip(bytes, at, limit, tokenBytes);
          if (at === limit) break;
          if (bytes[at] !== colon || at - start === this.#partStart)
            return this.#refuse(400, "has a malformed header line");
          this.positions.push(this.#partStart, at - start);
          at += 1;
          this.#part = "blanks";
          break;
        case "blanks":
          while (at < limit && isBlank(bytes[at])) at += 1;
          if (at === limit) break;
          this.#partStart = at - start;
          this.#part = "value";
          break;
        case "value": {
          at = skip(bytes, at, limit, valueBytes);
          if (at === limit) break;
          if (bytes[at] !== cr) return this.#refuse(400, "has a control character in a header line");
          let valueEnd = at;
          while (valueEnd > start + this.#partStart && isBlank(bytes[valueEnd - 1])) valueEnd -= 1;
          this.positions.push(this.#partStart, valueEnd - start);
          at += 1;
          this.#part = "lineEnd";
          break;
        }
        case "lineEnd":
          if (bytes[at] !== lf) return this.#refuse(400, "has a line without CRLF");
          at += 1;
          this.#part = "lineStart";
          break;
        case "end":
          if (bytes[at] !== lf) return this.#refuse(400, "has a line without CRLF");
          return at + 1;
      }
    }
    this.#scannedBytes = at - start;
    if (this.#scannedBytes >= this.#maxBytes)
      return this.#refuse(431, `has header lines of more than ${this.#maxBytes} bytes`);
    return -1;
  }

  /** Returns false for a version other than HTTP/1.0 and HTTP/1.1. The preface of HTTP/2 is no request (RFC 9113 §3.4). */
  #readVersion(bytes: Uint8Array, start: number): boolean {
    const major = bytes[start + this.#partStart + majorIndex] as number;
    const minor = (bytes[start + this.#partStart + minorIndex] as number) - 0x30;
    if (major === 0x31 && (minor === 0 || minor === 1)) {
      this.minorVersion = minor;
      return true;
    }
    const isPreface =
      this.methodEnd === 3 && bytes[start] === 0x50 && bytes[start + 1] === 0x52 && bytes[start + 2] === 0x49;
    this.#refuse(isPreface ? 400 : 505, "is neither HTTP/1.0 nor HTTP/1.1");
    return false;
  }

  #refuse(status: number, reason: string): -1 {
    this.refusal = { status, reason };
    return -1;
  }
}

const version = "HTTP/1.1\r\n";
const majorIndex = 5;
const minorIndex = 7;
const colon = 0x3a;

const isDigit = (byte: number): boolean => byte >= 0x30 && byte <= 0x39;
const isBlank = (byte: number | undefined): boolean => byte === space || byte === htab;

/** Returns the position of the first byte that is not in a table. */
function skip(bytes: Uint8Array, start: number, end: number, table: Uint8Array): number {
  let at = start;
  while (at < end && table[bytes[at] as number] === 1) at += 1;
  return at;
}
