import type { IncomingMessage, ServerResponse } from "node:http";
import { errors } from "../../errors.ts";
import { emptyHeaders, HeaderList } from "../../message/header-list.ts";
import { bodyLimit, type MergedReadable } from "./chunk-merger.ts";
import type { Connection } from "./connection.ts";
import type { Client, RequestSource, SentListener } from "../../message/request-source.ts";
import type { Head } from "./head.ts";
import { streamBody } from "../body.ts";
import { chunkReader, readBody } from "./body.ts";
import { isDisconnected, isSent } from "./http2.ts";
import type { ServerState } from "../server-state.ts";
import { isFromTrustedProxy, schemeOf, SocketClient } from "../socket-client.ts";

/** Request source over `node:http`. */
export class NodeSource implements RequestSource {
  readonly server: ServerState;
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly headers: HeaderList;
  readonly query: string;
  /** Declared length of the body in bytes; 0 without a body, -1 for a chunked body. */
  readonly declaredBytes: number;
  maxBodyBytes: number;
  /** True if the client waits for `100 Continue` before it sends the body. */
  expectsContinue: boolean;
  /** Connection. `node:http` removes it from a destroyed request. */
  readonly connection: Connection;
  /** True once reading of the body has stopped, because it is larger or slower than the limits. */
  isAborted = false;
  /** True if there is no body, or all its bytes were read. */
  isBodyRead: boolean;
  readonly #isForwarded: boolean;
  readonly #isUpgrade: boolean;
  #controller: AbortController | undefined;

  constructor(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    connection: Connection,
    server: ServerState,
    head: Head,
  ) {
    this.incoming = incoming;
    this.headers = new HeaderList(head.headers);
    this.query = head.query;
    this.declaredBytes = head.declaredBytes;
    this.isBodyRead = head.declaredBytes === 0;
    this.maxBodyBytes = server.maxBodyBytes;
    this.expectsContinue = head.expectsContinue;
    this.#isForwarded = head.isForwarded;
    this.#isUpgrade = head.isUpgrade;
    this.connection = connection;
    this.outgoing = outgoing;
    this.server = server;
  }

  get method(): string {
    return this.incoming.method as string;
  }

  get target(): string {
    return this.incoming.url as string;
  }

  header(name: string): string | undefined {
    return this.headers.get(name);
  }

  get ip(): string {
    return this.client.ip;
  }

  get client(): Client {
    const { trustedProxies } = this.server;
    return new SocketClient(this.connection, trustedProxies, this.#isForwarded ? this.headers : emptyHeaders);
  }

  get scheme(): "http" | "https" {
    return schemeOf(this.connection, this.server.trustedProxies, this);
  }

  get isFromTrustedProxy(): boolean {
    return isFromTrustedProxy(this.connection, this.server.trustedProxies);
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = new AbortController();
      const outgoing = this.outgoing;
      const onClose = (): void => {
        if (!isSent(outgoing)) controller.abort(errors.E_CLIENT_GONE());
      };
      if (this.#isClosed) onClose();
      else outgoing.once("close", onClose);
      this.#controller = controller;
    }
    return this.#controller.signal;
  }

  onSent(listener: SentListener): void {
    const { outgoing } = this;
    const report = (): void => void listener(outgoing.headersSent ? outgoing.statusCode : undefined, !isSent(outgoing));
    if (this.#isClosed) report();
    else outgoing.once("close", report);
  }

  /** True if the response was sent, or the client has disconnected. */
  get #isClosed(): boolean {
    return isDisconnected(this.outgoing) || this.outgoing.closed || this.connection.destroyed;
  }

  /** True if the rest of the body is over the limit or of unknown length. Closing is then better than waiting for it. */
  get hasUnreadBody(): boolean {
    if (this.isBodyRead || this.incoming.complete) return false;
    return this.isAborted || this.expectsContinue || this.declaredBytes < 0 || this.declaredBytes > this.maxBodyBytes;
  }

  /**
   * True if no request can follow on this connection. A client that got no `100 Continue` may send its body or not, so the
   * start of a next request would be unknown. A body of unknown length that was refused ends the connection, even if the rest
   * of it has arrived meanwhile.
   */
  get closesConnection(): boolean {
    return this.#isUpgrade || this.expectsContinue || (this.isAborted && this.declaredBytes < 0);
  }

  readBody(): Promise<Uint8Array> {
    if (this.declaredBytes > this.maxBodyBytes) throw errors.E_BODY_TOO_LARGE(this.maxBodyBytes);
    this.#sendContinue();
    this.#limitChunks();
    const { bodyTimeoutMs: timeoutMs, requestTimeoutMs: totalTimeoutMs } = this.server;
    return readBody(this, { maxBytes: this.maxBodyBytes, timeoutMs, totalTimeoutMs });
  }

  streamBody(): ReadableStream<Uint8Array> {
    this.#sendContinue();
    if (this.declaredBytes === 0) return new Blob([]).stream();
    this.#limitChunks();
    return streamBody(chunkReader(this.incoming), {
      maxBytes: () => this.maxBodyBytes,
      timeoutMs: this.server.bodyTimeoutMs,
      onEnd: () => (this.isBodyRead = true),
      onAbort: (received) => {
        this.isBodyRead = this.incoming.complete || received === this.declaredBytes;
        this.isAborted = !this.isBodyRead || received > this.maxBodyBytes;
        // Discard the rest of a body that has arrived completely, so that the connection can carry another request.
        if (this.isBodyRead) this.incoming.removeAllListeners("readable").resume();
      },
    });
  }

  /** Lets the end of the limit be seen as soon as it is received. A declared length was compared with it before. */
  #limitChunks(): void {
    if (this.declaredBytes < 0) (this.incoming as MergedReadable)[bodyLimit] = this.maxBodyBytes;
  }

  #sendContinue(): void {
    if (!this.expectsContinue) return;
    this.expectsContinue = false;
    this.outgoing.writeContinue();
  }
}
