// What is used of Bun, which has no package of types that a framework for Node could ask for.

/** What `Bun.serve` is given. */
export interface ServeOptions {
  readonly hostname?: string;
  readonly port?: number;
  readonly unix?: string;
  readonly tls?: { readonly cert: Uint8Array; readonly key: Uint8Array };
  /** Seconds, at most 255. */
  readonly idleTimeout: number;
  /** Bytes. */
  readonly maxRequestBodySize: number;
  readonly development: boolean;
  /** Without it, servers of several processes share a port: it would never be taken. */
  readonly reusePort: boolean;
  readonly fetch: (request: globalThis.Request, server: BunServer) => Answer;
  /** Answers what `fetch` threw, and bodies that Bun could not send. */
  readonly error: (error: unknown) => Answer;
}

/** What a web-standard response is made of. */
export type Content = ConstructorParameters<typeof globalThis.Response>[0];

type Answer = globalThis.Response | Promise<globalThis.Response>;

/** A server that listens. */
export interface BunServer {
  readonly port?: number;
  /** The other end of a request's connection; nothing for a Unix socket, and once the connection is gone. */
  requestIP(request: globalThis.Request): { readonly address: string } | null;
  /** How many seconds the client of a request may do nothing from now on; 0 for ever. */
  timeout(request: globalThis.Request, seconds: number): void;
  /** Takes no more connections and closes idle ones; resolves when all are closed. */
  stop(closesActive?: boolean): Promise<void>;
}

/** The global `Bun`. */
export interface BunApi {
  serve(options: ServeOptions): BunServer;
}

/** Bun's own functions. Only to be called where there is a Bun. */
export function bunApi(): BunApi {
  return (globalThis as unknown as { readonly Bun: BunApi }).Bun;
}
