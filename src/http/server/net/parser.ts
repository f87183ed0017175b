import { type HeadRules, readTarget } from "../head-rules.ts";
import { cr, lf } from "./bytes.ts";
import { ChunkScanner } from "./chunk-scanner.ts";
import { FieldScanner, type Refusal } from "./field-scanner.ts";
import { RequestHead } from "./request-head.ts";

/** Rules of a parser. */
export interface ParserRules extends HeadRules {
  /** Maximum size of a head in bytes, from the method to the empty line; more is 431. Trailers have the same limit. */
  readonly maxHeaderBytes: number;
}

/** Receiver of the parts of requests, in the order in which they are parsed. It may call `RequestParser.stop`, not `parse`. */
export interface MessageReceiver {
  /** Local address of the connection. Read only if `ALLOWED_HOSTS` does not list the `Host`, because it costs a system call. */
  readonly localAddress?: string | undefined;
  /** Called with each head. If it has a `rejection`, the parser reads nothing behind it, not even its body. */
  onHead(head: RequestHead): void;
  /** Called with each piece of a body. The bytes are valid during the call only: the buffer is reused. */
  onBody(bytes: Buffer, start: number, end: number): void;
  /** Called at the end of each request, also of one without a body. */
  onEnd(): void;
  /** Called at most once, for malformed input in a head or in a body. */
  onRefused(refusal: Refusal): void;
}

/**
 * State of a parser: between two requests, inside a head, inside a body, or closed. A closed parser reads nothing: after
 * malformed input, a rejected head, or the last request of a connection.
 */
export type ParserState = "idle" | "head" | "body" | "closed";

/** Part of the input that the next byte belongs to. */
type ParserPart = "head" | "counted" | "chunked" | "trailers" | "closed";

/** Parser of HTTP/1.1 requests (RFC 9112). It has no socket and no timer: the caller passes the bytes of a connection. */
export class RequestParser {
  readonly #rules: ParserRules;
  readonly #receiver: MessageReceiver;
  readonly #fields: FieldScanner;
  #chunks: ChunkScanner | undefined;
  #part: ParserPart = "head";
  /** True if bytes of a head were received. */
  #isInHead = false;
  /** True if an empty line precedes the head. */
  #hasEmptyLine = false;
  #remainingBytes = 0;
  /** True if no request follows the current one. */
  #closesAfterRequest = false;

  constructor(rules: ParserRules, receiver: MessageReceiver) {
    this.#rules = rules;
    this.#receiver = receiver;
    this.#fields = new FieldScanner(rules.maxHeaderBytes);
  }

  get state(): ParserState {
    if (this.#part === "closed") return "closed";
    if (this.#part !== "head") return "body";
    return this.#isInHead ? "head" : "idle";
  }

  /** Closes the parser: it consumes all further bytes, and calls the receiver no more. */
  stop(): void {
    this.#part = "closed";
  }

  /**
   * Parses up to the end of a request, or of the bytes. Call it again for the rest. An incomplete head or trailer section is
   * not consumed: pass its bytes again, in front of those that are received next. No byte is scanned twice.
   *
   * @returns position after the last byte that was consumed
   */
  parse(bytes: Buffer, start: number, end: number): number {
    let at = start;
    if (this.#part === "head") at = this.#parseHead(bytes, at, end);
    while (at < end && this.#part === "chunked") at = this.#parseChunk(bytes, at, end);
    if (this.#part === "counted") at = this.#parseCounted(bytes, at, end);
    else if (this.#part === "trailers") at = this.#parseTrailers(bytes, at, end);
    return this.#part === "closed" ? end : at;
  }

  #parseHead(bytes: Buffer, from: number, end: number): number {
    const start = this.#skipEmptyLine(bytes, from, end);
    if (start === end) return start;
    if (!this.#isInHead) {
      if (bytes[start] === cr && !this.#hasEmptyLine) return start;
      this.#fields.begin(true);
      this.#isInHead = true;
    }
    const headEnd = this.#fields.scan(bytes, start, end);
    if (headEnd === -1) return this.#refuseIncomplete(start);
    const head = new RequestHead(bytes.toString("latin1", start, headEnd), this.#fields, this.#fields.takePositions());
    this.#isInHead = false;
    this.#hasEmptyLine = false;
    this.#receive(head);
    return headEnd;
  }

  /** Skips one empty line before a request (RFC 9112 §2.2). */
  #skipEmptyLine(bytes: Buffer, start: number, end: number): number {
    if (this.#hasEmptyLine || bytes[start] !== cr || end - start < 2) return start;
    if (bytes[start + 1] !== lf) {
      this.#refuse({ status: 400, reason: "has a line without CRLF" });
      return end;
    }
    this.#hasEmptyLine = true;
    return start + 2;
  }

  #receive(head: RequestHead): void {
    const { maxHeaders, allowedHosts } = this.#rules;
    const receiver = this.#receiver;
    try {
      head.readFields(maxHeaders);
      const { path, query } = readTarget(head.method, head.target, head, allowedHosts, receiver);
      head.path = path;
      head.query = query;
    } catch (error) {
      head.rejection = error;
      this.#part = "closed";
      receiver.onHead(head);
      return;
    }
    const { declaredBytes } = head;
    this.#closesAfterRequest = !head.keepsAlive;
    this.#part = declaredBytes === -1 ? "chunked" : "counted";
    this.#remainingBytes = declaredBytes;
    if (declaredBytes === -1) this.#chunks = new ChunkScanner();
    receiver.onHead(head);
    if (declaredBytes === 0) this.#end();
  }

  #parseCounted(bytes: Buffer, start: number, end: number): number {
    const bodyEnd = Math.min(end, start + this.#remainingBytes);
    if (bodyEnd === start) return start;
    this.#remainingBytes -= bodyEnd - start;
    this.#receiver.onBody(bytes, start, bodyEnd);
    if (this.#remainingBytes === 0) this.#end();
    return bodyEnd;
  }

  #parseChunk(bytes: Buffer, start: number, end: number): number {
    const chunks = this.#chunks as ChunkScanner;
    const at = chunks.scan(bytes, start, end);
    if (at === -1) {
      this.#refuse(chunks.refusal as Refusal);
      return end;
    }
    if (chunks.dataEnd > chunks.dataStart) this.#receiver.onBody(bytes, chunks.dataStart, chunks.dataEnd);
    if (this.#part === "chunked" && chunks.isAtTrailers) {
      this.#part = "trailers";
      this.#fields.begin(false);
    }
    return at;
  }

  /** Checks trailers, and drops them (RFC 9112 §7.1.2). */
  #parseTrailers(bytes: Buffer, start: number, end: number): number {
    const at = this.#fields.scan(bytes, start, end);
    if (at === -1) return this.#refuseIncomplete(start);
    const refusal = this.#checkTrailers(bytes, start, this.#fields.takePositions());
    if (refusal === undefined) this.#end();
    else this.#refuse(refusal);
    return at;
  }

  #checkTrailers(bytes: Buffer, start: number, positions: readonly number[]): Refusal | undefined {
    const { maxHeaders } = this.#rules;
    if (positions.length > maxHeaders * 4) return { status: 431, reason: `has more than ${maxHeaders} trailers` };
    for (let index = 0; index < positions.length; index += 4) {
      const [nameStart = 0, nameEnd = 0] = positions.slice(index, index + 2);
      const name = bytes.toString("latin1", start + nameStart, start + nameEnd);
      if (forbiddenTrailer.test(name)) return { status: 400, reason: `has the trailer ${name}` };
    }
    return undefined;
  }

  #end(): void {
    if (this.#part === "closed") return;
    this.#part = this.#closesAfterRequest ? "closed" : "head";
    this.#receiver.onEnd();
  }

  /** Refuses a section that the scanner has refused. An incomplete one is not consumed. */
  #refuseIncomplete(start: number): number {
    const { refusal } = this.#fields;
    if (refusal !== undefined) this.#refuse(refusal);
    return start;
  }

  #refuse(refusal: Refusal): void {
    this.#part = "closed";
    this.#receiver.onRefused(refusal);
  }
}

/**
 * Trailers that are refused: fields about framing, routing and the connection belong to the head, and a proxy might merge them
 * into it (RFC 9110 §6.5.1).
 */
const forbiddenTrailer = /^(?:content[-_]length|transfer[-_]encoding|host|(?:proxy-)?connection|upgrade)$/i;
