import type { Application } from "./application.ts";
import type { Address, TlsFiles } from "./configuration.ts";
import type { Limits } from "./limits.ts";
import type { RequestObserver } from "./observer.ts";
import type { ServerState } from "./server-state.ts";

/** A server that listens. */
export interface RunningServer {
  /** Where it listens, the port that was taken included. */
  readonly address: Address;
  /** Takes no new connections, answers what is in flight, and ends. What takes longer than the limit is cut off. */
  stop(): Promise<void>;
}

/** What a server is made of. */
export interface ServerDefinition {
  readonly address: Address;
  readonly limits: Limits;
  readonly application: Application;
  readonly state: ServerState;
  /** Told of each request and its answer. */
  readonly observe: RequestObserver | undefined;
  /** The files of TLS; without them the server speaks plain HTTP. */
  readonly tls: TlsFiles | undefined;
}

/**
 * What brings requests to an application: the HTTP server of a run time.
 *
 * A host reads the head of a request and refuses what two readers could understand in two ways, makes a `Request` over a
 * source of its own, has `Dispatch` answer it, and sends the `Response`; it answers whatever fails on the way, holds the
 * limits, and lets requests in flight end when it stops. What it cannot do is in the guide.
 */
export interface Host {
  /** The implementation that the service names. */
  readonly name: string;
  /**
   * Starts to listen.
   *
   * @throws E_PORT_TAKEN, E_PORT_FORBIDDEN, E_HOST_UNKNOWN, E_SOCKET_TAKEN, E_SOCKET_FORBIDDEN, E_TLS (reject)
   */
  readonly start: (definition: ServerDefinition) => Promise<RunningServer>;
}
