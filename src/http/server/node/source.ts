import type { IncomingMessage, ServerResponse } from "node:http";
import type { TLSSocket } from "node:tls";
import { errors } from "../../errors.ts";
import { HeaderList } from "../../message/header-list.ts";
import type { Connection } from "./connection.ts";
import type { RequestSource } from "../../message/request-source.ts";
import type { Head } from "./head.ts";
import { streamBody } from "../body.ts";
import { chunksOf, readBody } from "./body.ts";
import { isDisconnected, isSent } from "./http2.ts";
import type { ServerState } from "../server-state.ts";

/** A request as `node:http` brings it. */
export class NodeSource implements RequestSource {
  readonly server: ServerState;
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly headers: HeaderList;
  readonly query: string;
  /** Bytes that the header declares; 0 when there is no body, -1 when it comes in chunks. */
  readonly declared: number;
  maxBodyBytes: number;
  /** Whether the client waits for `100 Continue` before it sends the body. */
  expectsContinue: boolean;
  /** Kept, because `node:http` takes it from a request that was destroyed. */
  readonly connection: Connection;
  /** Whether the body is read no further, because it is longer or slower than the limits. */
  isAborted = false;
  /** Whether there is no body, or all bytes of it were read. */
  isBodyRead: boolean;
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
    this.declared = head.declared;
    this.isBodyRead = head.declared === 0;
    this.maxBodyBytes = server.maxBodyBytes;
    this.expectsContinue = head.expectsContinue;
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
    return this.server.proxies.clientAddress(this.connection.remoteAddress ?? "", this.headers);
  }

  get scheme(): "http" | "https" {
    const { connection } = this;
    if ((connection as Partial<TLSSocket>).encrypted) return "https";
    // Asked for by every response; the address of the other end is not, and costs more.
    if (this.server.proxies.isEmpty) return "http";
    return this.server.proxies.scheme(connection.remoteAddress ?? "", this.headers);
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = new AbortController();
      const outgoing = this.outgoing;
      const onClose = (): void => {
        if (!isSent(outgoing)) controller.abort(errors.E_CLIENT_GONE());
      };
      if (isDisconnected(outgoing) || outgoing.closed || this.connection.destroyed) onClose();
      else outgoing.once("close", onClose);
      this.#controller = controller;
    }
    return this.#controller.signal;
  }

  /** Whether bytes of the body are still to come, so many or so uncertain that it is better to close than to wait. */
  get hasUnreadBody(): boolean {
    if (this.isBodyRead || this.incoming.complete) return false;
    return this.isAborted || this.expectsContinue || this.declared < 0 || this.declared > this.maxBodyBytes;
  }

  /** Whether no other request can come behind this one. Who was not told to continue may send the body, or not. */
  get closesConnection(): boolean {
    return this.#isUpgrade || this.expectsContinue;
  }

  readBody(): Promise<Uint8Array> {
    if (this.declared > this.maxBodyBytes) throw errors.E_BODY_TOO_LARGE(this.maxBodyBytes);
    this.#admit();
    const { bodyTimeoutMs: time, requestTimeoutMs: most } = this.server;
    return readBody(this, { maxBytes: this.maxBodyBytes, timeoutMs: time, totalTimeoutMs: most });
  }

  streamBody(): ReadableStream<Uint8Array> {
    this.#admit();
    if (this.declared === 0) return new Blob([]).stream();
    return streamBody(chunksOf(this.incoming), {
      size: () => this.maxBodyBytes,
      time: this.server.bodyTimeoutMs,
      onEnd: () => (this.isBodyRead = true),
      onCut: (received) => {
        this.isBodyRead = this.incoming.complete || received === this.declared;
        this.isAborted = !this.isBodyRead;
        // Of a body that is there as a whole the rest is dropped, so that another request can follow it.
        if (this.isBodyRead) this.incoming.removeAllListeners("readable").resume();
      },
    });
  }

  #admit(): void {
    if (!this.expectsContinue) return;
    this.expectsContinue = false;
    this.outgoing.writeContinue();
  }
}
