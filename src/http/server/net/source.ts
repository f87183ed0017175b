import type { Socket } from "node:net";
import { errors } from "../../errors.ts";
import { isBodiless } from "../../message/fetch-response.ts";
import { emptyHeaders, type HeaderList } from "../../message/header-list.ts";
import type { Client, RequestSource, SentListener } from "../../message/request-source.ts";
import type { Response } from "../../message/response.ts";
import { streamBody } from "../body.ts";
import { formatHead } from "../response-head.ts";
import type { ResponseWriter } from "../response-writer.ts";
import type { ServerState } from "../server-state.ts";
import { isFromTrustedProxy, schemeOf, SocketClient } from "../socket-client.ts";
import { RequestBody } from "./request-body.ts";
import type { Output } from "./output.ts";
import type { RequestHead } from "./request-head.ts";

const crlf = Buffer.from("\r\n");
const lastChunk = "0\r\n\r\n";

/** Connection of a request, as far as the request needs it. */
export interface ResponseConnection {
  readonly socket: Socket;
  /** True once the client has closed its side. It sends no more requests, and has gone in most cases. */
  readonly isHalfClosed: boolean;
  /** True if no request follows those that were handled, because the client has closed its side. */
  readonly hasReceivedLast: boolean;
  /** Returns the headers about the connection. */
  linesFor(closesConnection: boolean): string;
  readonly output: Output;
  /** Writes what was added to the output, unless more of the same read follows. */
  flush(): void;
  /** Goes on with the next request, once the response was added to the output. */
  endResponse(source: NetSource): void;
  /** Receives more, unless enough waits. */
  resume(): void;
  /** Closes the connection at once. */
  destroy(): void;
}

/** Request over `node:net`, and the writer of its response. */
export class NetSource implements RequestSource, ResponseWriter {
  readonly head: RequestHead;
  readonly server: ServerState;
  maxBodyBytes: number;
  /** Body; `undefined` for a request without one. */
  readonly body: RequestBody | undefined;
  /** True if the client waits for `100 Continue` before it sends the body. */
  #expectsContinue: boolean;
  /** True once the handler was called. */
  isDispatched = false;
  isHeadSent = false;
  /** True once the response was passed to the connection completely. */
  isEnded = false;
  /** True once the system has taken all bytes of the response. */
  isSent = false;
  isDisconnected = false;
  /** True if the connection is closed after the response. */
  closesConnection = false;
  /** Status of the response, once its head was sent. */
  status: number | undefined;
  readonly #connection: ResponseConnection;
  #response: Response | undefined;
  /** Head that leaves together with the next bytes. */
  #unsentHead = "";
  #isChunked = false;
  /** Bytes that a body of declared length still has to send. */
  #missingBytes: number | undefined;
  #closeListeners: (() => void)[] | undefined;
  #controller: AbortController | undefined;

  constructor(connection: ResponseConnection, server: ServerState, head: RequestHead) {
    this.#connection = connection;
    this.server = server;
    this.head = head;
    this.maxBodyBytes = server.maxBodyBytes;
    const hasBody = head.declaredBytes !== 0 && head.rejection === undefined;
    this.body = hasBody ? new RequestBody(() => connection.resume()) : undefined;
    this.#expectsContinue = head.expectsContinue && head.rejection === undefined;
  }

  get method(): string {
    return this.head.method;
  }

  get target(): string {
    return this.head.target;
  }

  get query(): string {
    return this.head.query;
  }

  get headers(): HeaderList {
    return this.head.headers;
  }

  header(name: string): string | undefined {
    return this.head.header(name);
  }

  get ip(): string {
    return this.client.ip;
  }

  get client(): Client {
    const { isForwarded, rejection } = this.head;
    const forwarding = isForwarded || rejection !== undefined ? this.headers : emptyHeaders;
    return new SocketClient(this.#connection.socket, this.server.trustedProxies, forwarding);
  }

  get scheme(): "http" | "https" {
    return schemeOf(this.#connection.socket, this.server.trustedProxies, this);
  }

  get isFromTrustedProxy(): boolean {
    return isFromTrustedProxy(this.#connection.socket, this.server.trustedProxies);
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = new AbortController();
      this.#controller = controller;
      if (this.isDisconnected || this.#connection.isHalfClosed) this.abortSignal();
    }
    return this.#controller.signal;
  }

  /** Aborts `signal`: the client has disconnected, or sends no more. */
  abortSignal(): void {
    if (!this.isSent) this.#controller?.abort(errors.E_CLIENT_GONE());
  }

  /**
   * True if the unread body is over the limit or of unknown length. Closing is then better than waiting for it. It does not
   * depend on how much of the body has arrived with the head.
   */
  get hasUnreadBody(): boolean {
    const { body, maxBodyBytes } = this;
    const { declaredBytes } = this.head;
    if (body === undefined || body.isRead) return false;
    return body.isAborted || this.#expectsContinue || declaredBytes < 0 || declaredBytes > maxBodyBytes;
  }

  readBody(): Promise<Uint8Array> {
    const { body, maxBodyBytes, server } = this;
    if (this.head.declaredBytes > maxBodyBytes) throw errors.E_BODY_TOO_LARGE(maxBodyBytes);
    this.#sendContinue();
    if (body === undefined) return Promise.resolve(Buffer.alloc(0));
    const { bodyTimeoutMs: timeoutMs, requestTimeoutMs: totalTimeoutMs } = server;
    return body.readAll({ maxBytes: maxBodyBytes, timeoutMs, totalTimeoutMs });
  }

  streamBody(): ReadableStream<Uint8Array> {
    this.#sendContinue();
    const { body } = this;
    if (body === undefined) return new Blob([]).stream();
    return streamBody(body.nextChunk, {
      maxBytes: () => this.maxBodyBytes,
      timeoutMs: this.server.bodyTimeoutMs,
      onEnd: () => {},
      onAbort: (received) => {
        body.isAborted = !body.isComplete || received > this.maxBodyBytes;
        // Discard the rest of a body that has arrived completely, so that the connection can carry another request.
        if (body.isComplete) body.discard();
      },
    });
  }

  #sendContinue(): void {
    if (!this.#expectsContinue || this.isEnded || this.isDisconnected) return;
    this.#expectsContinue = false;
    this.#connection.output.add("HTTP/1.1 100 Continue\r\n\r\n");
    this.#connection.flush();
  }

  /** Prepares for a response. */
  begin(response: Response): void {
    const { head, body, hasUnreadBody } = this;
    // A client that got no `100 Continue` may send its body or not, so the start of a next request would be unknown. A body of
    // unknown length that was refused ends the connection, even if the rest of it has arrived meanwhile.
    const isBodyRefused =
      hasUnreadBody || this.#expectsContinue || (body?.isAborted === true && head.declaredBytes < 0);
    this.closesConnection =
      isBodyRefused ||
      !head.keepsAlive ||
      head.rejection !== undefined ||
      this.server.isStopping ||
      this.#connection.hasReceivedLast;
    this.#response = response;
  }

  get isHead(): boolean {
    return this.head.method === "HEAD";
  }

  writeHead(length: number | undefined): void {
    const response = this.#response as Response;
    const framing = length === undefined ? this.#frameStream(response) : `content-length: ${length}\r\n`;
    this.#unsentHead = formatHead(response, framing, this.#connection.linesFor(this.closesConnection));
    this.status = response.status;
    this.isHeadSent = true;
  }

  /** Returns the framing header of a stream. Without one, the body ends with the connection (RFC 9112 §6.3). */
  #frameStream(response: Response): string {
    if (isBodiless(response.status)) return "";
    const length = response.header("content-length");
    if (length !== undefined && /^\d{1,15}$/.test(length)) {
      if (!this.isHead) this.#missingBytes = Number(length);
      return `content-length: ${length}\r\n`;
    }
    if (this.head.minorVersion === 0) {
      this.closesConnection = true;
      return "";
    }
    this.#isChunked = !this.isHead;
    return "Transfer-Encoding: chunked\r\n";
  }

  write(chunk: Uint8Array): boolean {
    if (this.isDisconnected || this.#hasWrongLength(chunk.length, false)) return true;
    const { output } = this.#connection;
    if (this.#isChunked) output.addChunks(`${this.#takeHead()}${chunk.length.toString(16)}\r\n`, [chunk, crlf]);
    else output.addChunks(this.#takeHead(), [chunk]);
    this.#connection.flush();
    return !output.mustDrain;
  }

  end(chunk?: string | Uint8Array, size: number = 0): void {
    if (this.isDisconnected || this.isEnded || this.#hasWrongLength(0, true)) return;
    const { output } = this.#connection;
    if (typeof chunk === "string") output.addText(this.#takeHead(), chunk, size);
    else if (chunk !== undefined) output.addChunks(this.#takeHead(), [chunk]);
    else output.add(this.#isChunked ? this.#takeHead() + lastChunk : this.#takeHead());
    this.isEnded = true;
    const isAwaited = this.#controller !== undefined || (this.#closeListeners?.length ?? 0) > 0;
    if (isAwaited) output.onSent((isSent) => this.close(isSent));
    this.#connection.endResponse(this);
  }

  #takeHead(): string {
    const head = this.#unsentHead;
    this.#unsentHead = "";
    return head;
  }

  /** Aborts a stream that does not have its declared length: the client would read a wrong response, or wait forever. */
  #hasWrongLength(size: number, isEnd: boolean): boolean {
    if (this.#missingBytes === undefined) return false;
    this.#missingBytes -= size;
    const isWrong = isEnd ? this.#missingBytes !== 0 : this.#missingBytes < 0;
    if (isWrong) this.abort();
    return isWrong;
  }

  drained(): Promise<void> {
    return new Promise((resolve) => {
      if (this.isDisconnected) resolve();
      else this.#connection.output.onDrain(resolve);
    });
  }

  onClose(callback: () => void): () => void {
    if (this.isDisconnected || this.isSent) return () => {};
    (this.#closeListeners ??= []).push(callback);
    return () => (this.#closeListeners = this.#closeListeners?.filter((listener) => listener !== callback));
  }

  onSent(listener: SentListener): void {
    const report = (): void => void listener(this.isHeadSent ? this.status : undefined, !this.isSent);
    // `end` has asked the output for those who listened before it only.
    if (this.isEnded || this.isDisconnected) report();
    else this.onClose(report);
  }

  /** Reports that the system has taken the whole response, or that the client has disconnected before. */
  close(isSent: boolean): void {
    if (isSent) this.isSent = true;
    else this.isDisconnected = true;
    if (!isSent) this.body?.disconnect();
    this.abortSignal();
    const listeners = this.#closeListeners;
    this.#closeListeners = undefined;
    for (const listener of listeners ?? []) listener();
  }

  abort(): void {
    this.#connection.destroy();
  }
}
