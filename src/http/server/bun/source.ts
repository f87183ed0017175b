import { errors } from "../../errors.ts";
import { emptyHeaders, HeaderList } from "../../message/header-list.ts";
import type { Client, RequestSource, SentListener } from "../../message/request-source.ts";
import { streamBody } from "../body.ts";
import type { ServerState } from "../server-state.ts";
import type { BunServer } from "./api.ts";
import { chunkReader, readBody } from "./body.ts";
import type { FetchTarget } from "../../message/fetch-request.ts";

/** Options of `BunSource`, shared by all requests of a server. */
export interface BunSourceOptions {
  /** Seconds after which an inactive client is disconnected, unless the handler is working. */
  readonly idleTimeoutSeconds: number;
  /** True for a server with TLS. */
  readonly isSecure: boolean;
}

/** Request source over `Bun.serve`. */
export class BunSource implements RequestSource {
  readonly server: ServerState;
  readonly incoming: globalThis.Request;
  readonly method: string;
  readonly target: string;
  readonly query: string;
  maxBodyBytes: number;
  /** True if the head was refused. The connection is then closed after the response. */
  isRejected = false;
  /** True for a connection with TLS. */
  readonly isSecure: boolean;
  /** Status of a stream or a file that is being sent. */
  status: number | undefined;
  /** Outcome of the request, once it is known. */
  #outcome: Parameters<SentListener> | undefined;
  #listeners: SentListener[] | undefined;
  readonly #host: BunServer;
  #headers: HeaderList | undefined;
  #idleTimeoutSeconds: number;
  #peer: string | undefined;
  #controller: AbortController | undefined;
  #bodyState: "unread" | "reading" | "read" = "unread";

  constructor(
    incoming: globalThis.Request,
    host: BunServer,
    server: ServerState,
    head: FetchTarget,
    options: BunSourceOptions,
  ) {
    this.#idleTimeoutSeconds = options.idleTimeoutSeconds;
    this.isSecure = options.isSecure;
    this.incoming = incoming;
    this.method = incoming.method;
    this.target = head.target;
    this.query = head.query;
    this.maxBodyBytes = server.maxBodyBytes;
    this.server = server;
    this.#host = host;
  }

  /** Header fields, sorted by name: Bun does not report the order in which they were sent. */
  get headers(): HeaderList {
    return (this.#headers ??= new HeaderList([...this.incoming.headers].flat()));
  }

  header(name: string): string | undefined {
    return this.incoming.headers.get(name) ?? undefined;
  }

  /** Remote address of the connection. Read it for the first time before the client disconnects. */
  get peer(): string {
    return (this.#peer ??= this.#host.requestIP(this.incoming)?.address ?? "");
  }

  get ip(): string {
    const { trustedProxies } = this.server;
    // Most requests do not need the sorted list of the headers.
    const isDirect = trustedProxies.isEmpty && !this.incoming.headers.has("x-forwarded-for");
    return trustedProxies.clientAddress(this.peer, isDirect ? emptyHeaders : this.headers);
  }

  /** Bun finds the address by the request. */
  get client(): Client {
    return this;
  }

  get scheme(): "http" | "https" {
    if (this.isSecure) return "https";
    // Every response reads the scheme. Return before `peer`, which costs more (0.06 of a bare `Bun.serve` request).
    if (this.server.trustedProxies.isEmpty) return "http";
    return this.server.trustedProxies.scheme(this.peer, this.headers);
  }

  get isFromTrustedProxy(): boolean {
    const { trustedProxies } = this.server;
    return !trustedProxies.isEmpty && trustedProxies.includes(this.peer);
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = new AbortController();
      const onDisconnect = (): void => controller.abort(errors.E_CLIENT_GONE());
      const { signal } = this.incoming;
      if (signal.aborted) onDisconnect();
      else signal.addEventListener("abort", onDisconnect, { once: true });
      this.#controller = controller;
    }
    return this.#controller.signal;
  }

  onSent(listener: SentListener): void {
    if (this.#outcome !== undefined) {
      listener(...this.#outcome);
    } else if (this.#listeners === undefined) {
      // Bun forgets the address once the connection is closed: read it now.
      void this.peer;
      this.#listeners = [listener];
      this.incoming.signal.addEventListener("abort", () => this.end(this.status, true), { once: true });
    } else this.#listeners.push(listener);
  }

  /** Reports that Bun has the whole response, or that the client has disconnected. `status` is `undefined` if nothing was sent. */
  end(...outcome: Parameters<SentListener>): void {
    this.#outcome ??= outcome;
    const listeners = this.#listeners ?? [];
    this.#listeners = undefined;
    for (const listener of listeners) listener(...this.#outcome);
  }

  /** Sets the idle timeout of the connection, in seconds; 0 is none. */
  setIdleTimeout(seconds: number): void {
    if (seconds === this.#idleTimeoutSeconds) return;
    this.#idleTimeoutSeconds = seconds;
    this.#host.timeout(this.incoming, seconds);
  }

  /** Declared length of the body in bytes; 0 without a body, -1 for a chunked body. */
  get declaredBytes(): number {
    const { headers } = this.incoming;
    return headers.has("transfer-encoding") ? -1 : Number(headers.get("content-length") ?? 0);
  }

  /** True if the rest of the body is over the limit or of unknown length. Closing is then better than waiting for it. */
  get hasUnreadBody(): boolean {
    if (this.#bodyState === "read" || (this.#bodyState === "unread" && this.method === "GET")) return false;
    const { declaredBytes } = this;
    return (
      declaredBytes !== 0 && (this.#bodyState === "reading" || declaredBytes < 0 || declaredBytes > this.maxBodyBytes)
    );
  }

  async readBody(): Promise<Uint8Array> {
    const { maxBodyBytes } = this;
    if (this.declaredBytes > maxBodyBytes) throw errors.E_BODY_TOO_LARGE(maxBodyBytes);
    this.#bodyState = "reading";
    const body = await readBody(this.incoming, this.declaredBytes, {
      maxBytes: maxBodyBytes,
      timeoutMs: this.server.bodyTimeoutMs,
    });
    this.#bodyState = "read";
    return body;
  }

  streamBody(): ReadableStream<Uint8Array> {
    this.#bodyState = "reading";
    return streamBody(chunkReader(this.incoming), {
      maxBytes: () => this.maxBodyBytes,
      timeoutMs: this.server.bodyTimeoutMs,
      onEnd: () => (this.#bodyState = "read"),
      onAbort: () => {},
    });
  }
}
