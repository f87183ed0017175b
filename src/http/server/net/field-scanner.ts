import { cr, htab, lf, space, targetBytes, tokenBytes, valueBytes } from "./bytes.ts";
import type { RequestLine } from "./request-head.ts";

/** Malformed input, and the status of its response. */
export interface Refusal {
  readonly status: number;
  /** Predicate of the request, such as "has a line without CRLF". */
  readonly reason: string;
}

// Parts of a section, in order. A line of a field repeats those from `lineStartPart` on. Numbers are compared faster than strings.
const methodPart = 0;
const targetPart = 1;
const versionPart = 2;
const lineStartPart = 3;
const namePart = 4;
const blanksPart = 5;
const valuePart = 6;
const lineEndPart = 7;
const sectionEndPart = 8;
const completePart = 9;

const none: number[] = [];

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
  refusal: Refusal | undefined = undefined;
  readonly #maxBytes: number;
  /** Start and end of the name, start and end of the value, of each line, relative to the start of the section. */
  #positions: number[] = none;
  /** Part that the next byte belongs to. */
  #part = methodPart;
  /** Bytes that were scanned. */
  #scannedBytes = 0;
  /** Start of the version, name or value, relative to the start of the section. */
  #partStart = 0;

  /** @param maxBytes maximum size of a section, with the empty line */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Prepares for another section. */
  begin(hasRequestLine: boolean): void {
    this.#part = hasRequestLine ? methodPart : lineStartPart;
    this.#scannedBytes = 0;
    this.#positions = [];
  }

  /** Returns the positions of the section that was scanned, and forgets them: idle connections keep none. */
  takePositions(): readonly number[] {
    const positions = this.#positions;
    this.#positions = none;
    return positions;
  }

  /**
   * Scans from the start of the section.
   *
   * @returns position after the empty line; -1 if the section is incomplete or refused (`refusal`)
   */
  scan(bytes: Uint8Array, start: number, end: number): number {
    const limit = Math.min(end, start + this.#maxBytes);
    let at = start + this.#scannedBytes;
    if (this.#part < lineStartPart) at = this.#scanRequestLine(bytes, start, at, limit);
    if (this.#part >= lineStartPart) at = this.#scanLines(bytes, start, at, limit);
    if (this.#part > sectionEndPart) return at;
    this.#scannedBytes = at - start;
    if (this.refusal === undefined && this.#scannedBytes >= this.#maxBytes) {
      this.#refuse(431, `has header lines of more than ${this.#maxBytes} bytes`);
    }
    return -1;
  }

  #scanRequestLine(bytes: Uint8Array, start: number, from: number, limit: number): number {
    let at = from;
    if (this.#part === methodPart) {
      at = skip(bytes, at, limit, tokenBytes);
      if (at - start > maxMethodBytes) return this.#refuse(400, `has a method of more than ${maxMethodBytes} bytes`);
      if (at === limit) return at;
      if (bytes[at] !== space || at === start) return this.#refuse(400, malformedLine);
      this.methodEnd = at - start;
      this.#part = targetPart;
      at += 1;
    }
    if (this.#part === targetPart) {
      at = skip(bytes, at, limit, targetBytes);
      if (at === limit) return at;
      this.targetEnd = at - start;
      if (bytes[at] !== space || this.targetEnd === this.methodEnd + 1) return this.#refuse(400, malformedLine);
      this.#part = versionPart;
      at += 1;
      this.#partStart = at - start;
    }
    for (; at < limit; at += 1) {
      const index = at - start - this.#partStart;
      const byte = bytes[at] as number;
      if (index === majorIndex || index === minorIndex ? !isDigit(byte) : byte !== protocol.charCodeAt(index)) {
        return this.#refuse(400, malformedLine);
      }
      if (index === minorIndex && !this.#readVersion(bytes, start)) return at;
      if (index < protocol.length - 1) continue;
      this.#part = lineStartPart;
      return at + 1;
    }
    return at;
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

  /** Scans the lines of fields. Each pass of the loop reads one line, or its rest. */
  #scanLines(bytes: Uint8Array, start: number, from: number, limit: number): number {
    const positions = this.#positions;
    let at = from;
    let part = this.#part;
    let partStart = start + this.#partStart;
    while (at < limit) {
      if (part === lineStartPart) {
        partStart = at;
        part = namePart;
        if (bytes[at] === cr) {
          part = sectionEndPart;
          at += 1;
          continue;
        }
      }
      if (part === namePart) {
        at = skip(bytes, at, limit, tokenBytes);
        if (at === limit) break;
        if (bytes[at] !== colon || at === partStart) return this.#refuse(400, "has a malformed header line");
        positions.push(partStart - start, at - start);
        part = blanksPart;
        at += 1;
      }
      if (part === blanksPart) {
        while (at < limit && isBlank(bytes[at])) at += 1;
        if (at === limit) break;
        partStart = at;
        part = valuePart;
      }
      if (part === valuePart) {
        at = skip(bytes, at, limit, valueBytes);
        if (at === limit) break;
        if (bytes[at] !== cr) return this.#refuse(400, "has a control character in a header line");
        let valueEnd = at;
        while (valueEnd > partStart && isBlank(bytes[valueEnd - 1])) valueEnd -= 1;
        positions.push(partStart - start, valueEnd - start);
        part = lineEndPart;
        at += 1;
        if (at === limit) break;
      }
      if (bytes[at] !== lf) return this.#refuse(400, "has a line without CRLF");
      at += 1;
      part = part === sectionEndPart ? completePart : lineStartPart;
      if (part === completePart) break;
    }
    this.#part = part;
    this.#partStart = partStart - start;
    return at;
  }

  #refuse(status: number, reason: string): number {
    this.refusal = { status, reason };
    return -1;
  }
}

const protocol = "HTTP/1.1\r\n";
const majorIndex = 5;
const minorIndex = 7;
const colon = 0x3a;
const malformedLine = "has a malformed request line";

const isDigit = (byte: number): boolean => byte >= 0x30 && byte <= 0x39;
const isBlank = (byte: number | undefined): boolean => byte === space || byte === htab;

/** Returns the position of the first byte that is not in a table. */
function skip(bytes: Uint8Array, start: number, end: number, table: Uint8Array): number {
  let at = start;
  while (at < end && table[bytes[at] as number] === 1) at += 1;
  return at;
}
