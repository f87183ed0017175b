import { errors } from "../../errors.ts";
import { emptyHeaders, HeaderList } from "../../message/header-list.ts";
import type { RequestSource } from "../../message/request-source.ts";
import { streamBody } from "../body.ts";
import type { ServerState } from "../server-state.ts";
import type { BunServer } from "./api.ts";
import { chunksOf, readBody } from "./body.ts";
import type { FetchTarget } from "../../message/fetch-request.ts";

/** What all requests of a server share. */
export interface BunSourceOptions {
  /** Seconds that a client may do nothing while it is its turn. */
  readonly idleTimeoutSeconds: number;
  /** Whether connections are encrypted. */
  readonly isSecure: boolean;
}

/** A request as `Bun.serve` brings it. */
export class BunSource implements RequestSource {
  readonly server: ServerState;
  readonly incoming: globalThis.Request;
  readonly method: string;
  readonly target: string;
  readonly query: string;
  maxBodyBytes: number;
  /** Whether the request could not be understood: the connection ends with its answer. */
  isRejected = false;
  /** Whether the connection is encrypted. */
  readonly isSecure: boolean;
  /** The status of a stream or a file that is being sent. */
  status: number | undefined;
  /** Called when the answer is sent, or was cut: with no status when nothing of it was sent. */
  onEnd: ((status: number | undefined, isCut: boolean) => void) | undefined;
  readonly #host: BunServer;
  #headers: HeaderList | undefined;
  #idleTimeoutSeconds: number;
  #peer: string | undefined;
  #controller: AbortController | undefined;
  #body: "untouched" | "being read" | "read" = "untouched";

  constructor(
    incoming: globalThis.Request,
    host: BunServer,
    server: ServerState,
    head: FetchTarget,
    settings: BunSourceOptions,
  ) {
    this.#idleTimeoutSeconds = settings.idleTimeoutSeconds;
    this.isSecure = settings.isSecure;
    this.incoming = incoming;
    this.method = incoming.method;
    this.target = head.target;
    this.query = head.query;
    this.maxBodyBytes = server.maxBodyBytes;
    this.server = server;
    this.#host = host;
  }

  /** Sorted by name: the order in which they were sent is not known. */
  get headers(): HeaderList {
    return (this.#headers ??= new HeaderList([...this.incoming.headers].flat()));
  }

  header(name: string): string | undefined {
    return this.incoming.headers.get(name) ?? undefined;
  }

  /** The other end of the connection; only to be asked for the first time while there is one. */
  get peer(): string {
    return (this.#peer ??= this.#host.requestIP(this.incoming)?.address ?? "");
  }

  get ip(): string {
    return this.server.proxies.isEmpty
      ? this.server.proxies.clientAddress(this.peer, emptyHeaders)
      : this.server.proxies.clientAddress(this.peer, this.headers);
  }

  get scheme(): "http" | "https" {
    if (this.isSecure) return "https";
    // Asked for by every response; the address of the other end is not, and costs more.
    if (this.server.proxies.isEmpty) return "http";
    return this.server.proxies.scheme(this.peer, this.headers);
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = new AbortController();
      const onGone = (): void => controller.abort(errors.E_CLIENT_GONE());
      const { signal } = this.incoming;
      if (signal.aborted) onGone();
      else signal.addEventListener("abort", onGone, { once: true });
      this.#controller = controller;
    }
    return this.#controller.signal;
  }

  /** How many seconds the client may do nothing from now on; 0 for ever. */
  setIdleTimeout(seconds: number): void {
    if (seconds === this.#idleTimeoutSeconds) return;
    this.#idleTimeoutSeconds = seconds;
    this.#host.timeout(this.incoming, seconds);
  }

  /** Bytes that the header declares; 0 when there is no body, -1 when it comes in chunks. */
  get declared(): number {
    const { headers } = this.incoming;
    return headers.has("transfer-encoding") ? -1 : Number(headers.get("content-length") ?? 0);
  }

  /** Whether bytes of the body are still to come, so many or so uncertain that it is better to close than to wait. */
  get hasUnreadBody(): boolean {
    if (this.#body === "read" || (this.#body === "untouched" && this.method === "GET")) return false;
    const { declared } = this;
    return declared !== 0 && (this.#body === "being read" || declared < 0 || declared > this.maxBodyBytes);
  }

  async readBody(): Promise<Uint8Array> {
    const { maxBodyBytes: size } = this;
    if (this.declared > size) throw errors.E_BODY_TOO_LARGE(size);
    this.#body = "being read";
    const body = await readBody(this.incoming, this.declared, { maxBytes: size, timeoutMs: this.server.bodyTimeoutMs });
    this.#body = "read";
    return body;
  }

  streamBody(): ReadableStream<Uint8Array> {
    this.#body = "being read";
    return streamBody(chunksOf(this.incoming), {
      size: () => this.maxBodyBytes,
      time: this.server.bodyTimeoutMs,
      onEnd: () => (this.#body = "read"),
      onCut: () => {},
    });
  }
}
