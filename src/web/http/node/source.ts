import type { IncomingMessage, ServerResponse } from "node:http";
import type { TLSSocket } from "node:tls";
import { errors } from "../../errors.ts";
import { findHeader } from "../../header.ts";
import type { Connection } from "./connection.ts";
import type { RequestSource } from "../../request-source.ts";
import type { Head } from "./head.ts";
import { streamBody } from "../body.ts";
import { chunksOf, readBody } from "./body.ts";
import { isGone, isSent } from "./http2.ts";
import type { ServerState } from "../server-state.ts";

/** A request as `node:http` brings it. */
export class NodeSource implements RequestSource {
  readonly server: ServerState;
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly rawHeaders: readonly string[];
  readonly query: string;
  /** Bytes that the header declares; 0 when there is no body, -1 when it comes in chunks. */
  readonly declared: number;
  bodyLimit: number;
  /** Whether the client waits for `100 Continue` before it sends the body. */
  isWaiting: boolean;
  /** Kept, because `node:http` takes it from a request that was destroyed. */
  readonly connection: Connection;
  /** Whether the body is read no further, because it is longer or slower than the limits. */
  isGivenUp = false;
  /** Whether there is no body, or all bytes of it were read. */
  isRead: boolean;
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
    this.rawHeaders = head.headers;
    this.query = head.query;
    this.declared = head.declared;
    this.isRead = head.declared === 0;
    this.bodyLimit = server.bodyLimit;
    this.isWaiting = head.isWaiting;
    this.#isUpgrade = head.isLast;
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
    return findHeader(this.rawHeaders, name);
  }

  get ip(): string {
    return this.server.proxies.clientAddress(this.connection.remoteAddress ?? "", this.rawHeaders);
  }

  get scheme(): "http" | "https" {
    const { connection } = this;
    if ((connection as Partial<TLSSocket>).encrypted) return "https";
    // Asked for by every response; the address of the other end is not, and costs more.
    if (this.server.proxies.isEmpty) return "http";
    return this.server.proxies.scheme(connection.remoteAddress ?? "", this.rawHeaders);
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = new AbortController();
      const outgoing = this.outgoing;
      const onClose = (): void => {
        if (!isSent(outgoing)) controller.abort(errors.E_CLIENT_GONE());
      };
      if (isGone(outgoing) || outgoing.closed || this.connection.destroyed) onClose();
      else outgoing.once("close", onClose);
      this.#controller = controller;
    }
    return this.#controller.signal;
  }

  /** Whether bytes of the body are still to come, so many or so uncertain that it is better to close than to wait. */
  get hasUnreadBody(): boolean {
    if (this.isRead || this.incoming.complete) return false;
    return this.isGivenUp || this.isWaiting || this.declared < 0 || this.declared > this.bodyLimit;
  }

  /** Whether no other request can come behind this one. Who was not told to continue may send the body, or not. */
  get isLast(): boolean {
    return this.#isUpgrade || this.isWaiting;
  }

  readBody(): Promise<Uint8Array> {
    if (this.declared > this.bodyLimit) throw errors.E_BODY_TOO_LARGE(this.bodyLimit);
    this.#admit();
    const { bodyTime: time, requestTime: most } = this.server;
    return readBody(this, { size: this.bodyLimit, time, most });
  }

  streamBody(): ReadableStream<Uint8Array> {
    this.#admit();
    if (this.declared === 0) return new Blob([]).stream();
    return streamBody(chunksOf(this.incoming), {
      size: () => this.bodyLimit,
      time: this.server.bodyTime,
      onEnd: () => (this.isRead = true),
      onCut: (received) => {
        this.isRead = this.incoming.complete || received === this.declared;
        this.isGivenUp = !this.isRead;
        // Of a body that is there as a whole the rest is dropped, so that another request can follow it.
        if (this.isRead) this.incoming.removeAllListeners("readable").resume();
      },
    });
  }

  #admit(): void {
    if (!this.isWaiting) return;
    this.isWaiting = false;
    this.outgoing.writeContinue();
  }
}
