import type { Request } from "../message/request.ts";
import type { Handler } from "../router/handler.ts";
import type { Route } from "../router/route.ts";
import type { Limits } from "./limits.ts";
import type { ServerState } from "./server-state.ts";

/** Application behind a server. Its handlers neither throw nor reject, unless its outermost middlewares do. */
export interface Application {
  /** All routes, in the order of their declaration. */
  readonly routes: readonly Route[];
  /** Handles a request below the path prefix. */
  readonly handle: Handler;
  /** Handles a request outside the path prefix: 404, with the headers of every other response. */
  readonly handleOutsidePrefix: Handler;
  /** Returns the error response for a request that could not be handled, such as one with a malformed head. */
  readonly handleError: (request: Request, error: unknown) => ReturnType<Handler>;
}

/** Address of a listening socket: a port of an IP address, or a Unix socket. */
export interface Address {
  readonly host: string;
  /** Port; 0 takes a free one. */
  readonly port: number;
  /** Path of a Unix socket, instead of host and port. */
  readonly socketPath?: string;
}

/** PEM files of TLS. */
export interface TlsFiles {
  /** Path of the certificate with its chain. */
  readonly certificate: string;
  /** Path of the private key. */
  readonly key: string;
}

/** Listening server. */
export interface RunningServer {
  /** Address of the listening socket, with the port that was assigned. */
  readonly address: Address;
  /**
   * Stops accepting connections, answers requests in flight, and closes. Cuts off what takes longer than
   * `Limits.drainTimeoutMs`.
   */
  readonly stop: () => Promise<void>;
}

/** Listening server of a host, which stops in two steps. */
export interface HostServer extends RunningServer {
  /** Stops listening. Accepts the connections that wait in the backlog of the system first. Precedes `stop`. */
  readonly closeListener: () => Promise<void>;
}

/** Definition of a server. */
export interface ServerDefinition {
  readonly address: Address;
  readonly limits: Limits;
  readonly state: ServerState;
  /** Observer of each request and its response. */
  readonly observe: RequestObserver | undefined;
  /** TLS certificate and key; without them the server speaks plain HTTP. */
  readonly tls: TlsFiles | undefined;
}

/**
 * HTTP server of a JavaScript runtime.
 *
 * A host parses the head of a request, rejects what two parsers could read differently, wraps the request in a
 * `RequestSource`, passes it to an `Exchange` and sends the `Response`. It enforces the limits and lets requests in
 * flight end when it stops.
 */
export interface Host {
  /** Name of the implementation, as `config` prints it. */
  readonly name: string;
  /**
   * Starts listening.
   *
   * @throws E_PORT_TAKEN, E_PORT_FORBIDDEN, E_HOST_UNKNOWN, E_SOCKET_TAKEN, E_SOCKET_FORBIDDEN, E_TLS (reject)
   */
  readonly start: (definition: ServerDefinition) => Promise<HostServer>;
}

/**
 * Reports the outcome of a request, once: when its response was sent, or when the client has disconnected.
 *
 * @param status `undefined` when no response was sent
 * @param isIncomplete true if the response was not sent completely
 */
export type ResponseReport = (status: number | undefined, isIncomplete: boolean) => void;

/** Observes each request before anything else happens with it. Neither it nor the returned callback may throw. */
export type RequestObserver = (request: Request) => ResponseReport;

/** Combines several observers into one; `undefined` if there is none. */
export function combineObservers([first, ...others]: readonly RequestObserver[]): RequestObserver | undefined {
  const rest = others.length === 0 ? undefined : combineObservers(others);
  if (first === undefined || rest === undefined) return first;
  return (request) => {
    const [reportFirst, reportRest] = [first(request), rest(request)];
    return (status, isIncomplete) => {
      reportFirst(status, isIncomplete);
      reportRest(status, isIncomplete);
    };
  };
}
