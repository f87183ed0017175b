// Types of the parts of Bun that are used. A framework for Node cannot depend on the package of Bun's types.

/** Options of `Bun.serve`. */
export interface ServeOptions {
  readonly hostname?: string;
  readonly port?: number;
  readonly unix?: string;
  readonly tls?: { readonly cert: Uint8Array; readonly key: Uint8Array };
  /** Idle timeout in seconds, at most 255. */
  readonly idleTimeout: number;
  /** Maximum size of a body, in bytes. */
  readonly maxRequestBodySize: number;
  readonly development: boolean;
  /** True if several processes may listen on the port. With false, a port in use is an error. */
  readonly reusePort: boolean;
  readonly fetch: (request: globalThis.Request, server: BunServer) => FetchResult;
  /** Handles an error of `fetch`, and a body that Bun could not send. */
  readonly error: (error: unknown) => FetchResult;
}

/** Body argument of the `Response` constructor. */
export type FetchBody = ConstructorParameters<typeof globalThis.Response>[0];

type FetchResult = globalThis.Response | Promise<globalThis.Response>;

/** Listening server of Bun. */
export interface BunServer {
  readonly port?: number;
  /** Returns the remote address of a request; `null` for a Unix socket, and after the client has disconnected. */
  requestIP(request: globalThis.Request): { readonly address: string } | null;
  /** Sets the idle timeout of a request, in seconds; 0 is none. */
  timeout(request: globalThis.Request, seconds: number): void;
  /** Stops accepting connections and closes idle ones. Resolves when all are closed. */
  stop(closesActive?: boolean): Promise<void>;
}

/** Type of the global `Bun`. */
export interface BunApi {
  serve(options: ServeOptions): BunServer;
}

/** Returns the global `Bun`. Call it on Bun only. */
export function bunApi(): BunApi {
  return (globalThis as unknown as { readonly Bun: BunApi }).Bun;
}
