import type { Socket } from "node:net";
import { TimeInternals } from "../../../time/index.ts";
import { formatRefusal } from "../response-head.ts";
import type { ServerState } from "../server-state.ts";
import type { Refusal } from "./field-scanner.ts";
import type { SharedReceiver } from "./internals.ts";
import { type MessageReceiver, type ParserRules, RequestParser } from "./parser.ts";
import { Output } from "./output.ts";
import type { RequestHead } from "./request-head.ts";
import { NetSource, type ResponseConnection } from "./source.ts";

/** Bytes of further requests that a connection may send while an earlier one is handled. */
const maxWaitingBytes = 16 * 1024;
/** Number of requests that are handled in one turn of the event loop, so that other connections are served too. */
const requestsPerTurn = 32;
/** Time for which a connection discards what the client still sends, so that the client can read the response (RFC 9112 §9.6). */
const lingerMs = 500;

/**
 * Event that a connection waits for: the rest of a head, the unread rest of a body, another request, or the response to a
 * client that has closed its side of the connection, and has gone in most cases.
 */
export type WaitReason = "head" | "body" | "request" | "answer";

/** Values that the connections of a server share. */
export interface ConnectionContext {
  readonly rules: ParserRules;
  readonly state: ServerState;
  /** Time for which a connection may wait, by the part that it waits for, in milliseconds. */
  readonly waitLimits: Readonly<Record<WaitReason, number>>;
  /** Headers of a response on a persistent connection. */
  readonly keepAliveLines: string;
  /** Shared receive buffer; `undefined` for connections that cannot use it. */
  readonly receiver: SharedReceiver | undefined;
  /** Runs the exchange of a request. */
  readonly handle: (source: NetSource) => void;
  /** Runs a function in the asynchronous context of the server. */
  readonly inOwnContext: <Argument>(run: (argument: Argument) => void, argument: Argument) => void;
  /** Forgets a connection that is closed. */
  delete(connection: Connection): void;
}

/**
 * Connection of HTTP/1.1: parses requests, runs one at a time, and writes the responses in their order. The responses to all
 * requests of one read leave in one write.
 */
export class Connection implements MessageReceiver, ResponseConnection {
  readonly socket: Socket;
  isHalfClosed = false;
  readonly output: Output;
  readonly #server: ConnectionContext;
  readonly #parser: RequestParser;
  /** Request in flight, until its response and its body have ended. */
  #current: NetSource | undefined;
  /** Received bytes that wait: a part of a head, or requests behind the one in flight. */
  #rest: Buffer | undefined;
  #restSize = 0;
  #isParsing = false;
  #isContinueScheduled = false;
  #isPaused = false;
  #isEnding = false;
  #hasReceivedRequest = false;
  #waitsFor: WaitReason | undefined;
  /** Time at which `check` has seen the current wait first; 0 before. */
  #waitsSinceMs = 0;

  constructor(socket: Socket, server: ConnectionContext) {
    this.socket = socket;
    this.output = new Output(socket);
    this.#server = server;
    this.#parser = new RequestParser(server.rules, this);
    socket.on("error", () => {});
    socket.once("end", () => this.#onHalfClose());
    socket.once("close", () => this.#onClosed());
    const isAttached = server.receiver?.attach(socket, (size, bytes) => this.#read(bytes, size));
    if (isAttached !== true) socket.on("data", (bytes: Buffer) => this.#read(bytes, bytes.length));
  }

  get localAddress(): string | undefined {
    return this.socket.localAddress;
  }

  /** True if the connection waits for a request, and the system has taken all bytes of earlier responses. */
  get isIdle(): boolean {
    const hasRequest = this.#current !== undefined || this.#isContinueScheduled || this.#isEnding;
    return !hasRequest && this.#parser.state !== "head" && this.output.isSent;
  }

  get hasReceivedLast(): boolean {
    return this.isHalfClosed && this.#rest === undefined;
  }

  linesFor(closesConnection: boolean): string {
    return closesConnection ? "Connection: close\r\n" : this.#server.keepAliveLines;
  }

  #read(received: Buffer, size: number): void {
    if (this.#parser.state === "closed") return;
    if (this.#rest === undefined) this.#parse(received, size, true);
    else this.#parse(this.#joinRest(received, size), this.#restSize, true);
  }

  /** Parses and handles requests, up to the first one whose response is not complete. */
  #parse(bytes: Buffer, size: number, isReading: boolean): void {
    let at = 0;
    let count = 0;
    let isIncomplete = false;
    this.#isParsing = true;
    try {
      while (at < size && !isIncomplete && this.#canParse(count)) {
        const next = this.#parser.parse(bytes, at, size);
        isIncomplete = next === at;
        at = next;
        const current = this.#current;
        if (current?.isDispatched === false) {
          current.isDispatched = true;
          count += 1;
          // A request must not see what an earlier one of the same read has set.
          if (isReading && count === 1) this.#server.handle(current);
          else this.#server.inOwnContext(this.#server.handle, current);
        } else current?.body?.notify();
      }
    } finally {
      this.#isParsing = false;
      this.#keepRest(bytes, at, size);
    }
    this.output.flush();
    this.#afterParsing(!isIncomplete && this.#restSize > 0);
  }

  #canParse(count: number): boolean {
    if (this.#parser.state === "body") return true;
    if (this.#current !== undefined || count >= requestsPerTurn) return false;
    if (this.output.isFull) this.output.flush();
    return !this.socket.writableNeedDrain;
  }

  /** @param hasRequests true if the rest contains requests that were not parsed */
  #afterParsing(hasRequests: boolean): void {
    const current = this.#current;
    if (this.#isEnding) return;
    if (current?.body?.isFull === true || (hasRequests && this.#restSize > maxWaitingBytes)) this.#pause();
    if (current !== undefined) return;
    if (hasRequests) this.#scheduleContinue();
    else if (this.isHalfClosed) this.#endAfterHalfClose();
  }

  /** Continues with the requests that wait, in a later turn, and when the client has read what was written. */
  #scheduleContinue(): void {
    if (this.#isContinueScheduled) return;
    this.#isContinueScheduled = true;
    const run = (): void => {
      this.#isContinueScheduled = false;
      this.#continue();
    };
    if (this.socket.writableNeedDrain) this.socket.once("drain", run);
    else setImmediate(run);
  }

  #continue(): void {
    const rest = this.#rest;
    if (this.#current !== undefined || this.#parser.state === "closed") return;
    if (rest !== undefined) this.#parse(rest, this.#restSize, false);
    this.resume();
  }

  #joinRest(received: Buffer, size: number): Buffer {
    const rest = this.#rest as Buffer;
    const joinedSize = this.#restSize + size;
    let joined = rest;
    if (joinedSize > rest.length) {
      joined = Buffer.allocUnsafeSlow(Math.max(2 * joinedSize, 256));
      rest.copy(joined, 0, 0, this.#restSize);
      this.#rest = joined;
    }
    received.copy(joined, this.#restSize, 0, size);
    this.#restSize = joinedSize;
    return joined;
  }

  #keepRest(bytes: Buffer, start: number, end: number): void {
    this.#restSize = end - start;
    if (start === end || this.#parser.state === "closed") {
      this.#rest = undefined;
      this.#restSize = 0;
    } else if (bytes !== this.#rest) {
      this.#rest = Buffer.allocUnsafeSlow(end - start);
      bytes.copy(this.#rest, 0, start, end);
    } else if (start > 0) bytes.copyWithin(0, start, end);
  }

  onHead(head: RequestHead): void {
    this.#hasReceivedRequest = true;
    this.#waitsSinceMs = 0;
    this.#current = new NetSource(this, this.#server.state, head);
  }

  onBody(bytes: Buffer, start: number, end: number): void {
    this.#current?.body?.receive(bytes, start, end);
  }

  onEnd(): void {
    const current = this.#current as NetSource;
    if (current.body !== undefined) current.body.isComplete = true;
    if (current.isEnded) this.#finishRequest();
  }

  /** Answers malformed input. A request has one response at most: after it, the connection is only closed. */
  onRefused({ status }: Refusal): void {
    const current = this.#current;
    if (current?.isEnded === true) this.#end(true);
    else if (current?.isHeadSent === true) this.destroy();
    else {
      this.#current = undefined;
      this.output.add(formatRefusal(status));
      this.#end(true);
      current?.close(false);
    }
  }

  flush(): void {
    if (!this.#isParsing) this.output.flush();
  }

  endResponse(source: NetSource): void {
    this.#waitsSinceMs = 0;
    if (source.closesConnection) this.#end(source.body?.isComplete === false || source.head.rejection !== undefined);
    else if (source.body?.isComplete === false) {
      source.body.discard();
      this.resume();
    } else this.#finishRequest();
    this.flush();
  }

  #finishRequest(): void {
    this.#current = undefined;
    if (this.#isParsing) return;
    if (this.#rest !== undefined) this.#scheduleContinue();
    else if (this.isHalfClosed) this.#end(false);
    else this.resume();
  }

  #pause(): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    this.socket.pause();
  }

  resume(): void {
    if (!this.#isPaused || this.#restSize > maxWaitingBytes || this.#current?.body?.isFull === true) return;
    this.#isPaused = false;
    this.socket.resume();
  }

  /**
   * Closes the connection after what was written.
   *
   * @param lingers true if the client may still be sending. Closing at once would reset the connection, and the client would
   *   lose the response.
   */
  #end(lingers: boolean): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#current = undefined;
    this.#parser.stop();
    this.#rest = undefined;
    this.#restSize = 0;
    this.output.flush();
    const { socket } = this;
    if (!lingers || this.isHalfClosed) return socket.destroySoon();
    socket.end();
    this.resume();
    const cancel = TimeInternals.after(lingerMs, () => socket.destroySoon());
    socket.once("close", cancel);
  }

  #onHalfClose(): void {
    this.isHalfClosed = true;
    const current = this.#current;
    if (this.#isEnding) return;
    if (current === undefined) {
      if (!this.#isContinueScheduled) this.#endAfterHalfClose();
    } else if (current.body?.isComplete === false) this.onRefused({ status: 400, reason: "is incomplete" });
    // A handler that does not use the signal may still answer a client that only sends no more.
    else if (current.isHeadSent) this.destroy();
    else current.abortSignal();
  }

  #endAfterHalfClose(): void {
    if (this.#parser.state === "head") this.output.add(formatRefusal(400));
    this.#end(false);
  }

  #onClosed(): void {
    this.#server.delete(this);
    this.#parser.stop();
    this.#rest = undefined;
    const current = this.#current;
    this.#current = undefined;
    current?.close(false);
  }

  destroy(): void {
    this.output.flush();
    this.socket.destroy();
  }

  /** Closes the connection if the client is slower than the limits. Called once per interval. */
  check(nowMs: number): void {
    const reason = this.#waitReason();
    if (reason === undefined || reason !== this.#waitsFor || this.#waitsSinceMs === 0) {
      this.#waitsFor = reason;
      this.#waitsSinceMs = nowMs;
    } else if (nowMs - this.#waitsSinceMs >= this.#server.waitLimits[reason]) this.#onTimeout(reason);
  }

  /** Returns what the connection waits for; `undefined` if it has no time limit. */
  #waitReason(): WaitReason | undefined {
    const current = this.#current;
    if (this.#isEnding || !this.output.isSent) return undefined;
    if (current?.isEnded === true) return "body";
    if (current !== undefined) return this.isHalfClosed && !current.isHeadSent ? "answer" : undefined;
    return !this.#hasReceivedRequest || this.#parser.state === "head" ? "head" : "request";
  }

  #onTimeout(reason: WaitReason): void {
    if (reason === "head") this.onRefused({ status: 408, reason: "is too slow" });
    else this.destroy();
  }
}
