import type { HeaderList } from "../message/header-list.ts";
import type { Client } from "../message/request-source.ts";
import type { TrustedProxies } from "./trusted-proxies.ts";

/** Connection of a request, as far as the address of its client depends on it. */
export interface ClientConnection {
  /** Address of the other end; `undefined` for a Unix socket, and after the connection was closed. */
  readonly remoteAddress?: string | undefined;
  /** True for a connection with TLS. */
  readonly encrypted?: boolean;
}

/**
 * Client of a request. The asynchronous context of a request, with its log fields, may outlive it: timers and other work that it
 * started hold it. When the keep-alive timers of `node:http` held it, 275 instead of 27 kB survived a scavenge with the request in
 * these fields, and a site took 151 instead of 130 MB.
 */
export class SocketClient implements Client {
  readonly #connection: ClientConnection;
  readonly #trustedProxies: TrustedProxies;
  readonly #headers: HeaderList;

  constructor(connection: ClientConnection, trustedProxies: TrustedProxies, headers: HeaderList) {
    this.#connection = connection;
    this.#trustedProxies = trustedProxies;
    this.#headers = headers;
  }

  get ip(): string {
    return this.#trustedProxies.clientAddress(this.#connection.remoteAddress ?? "", this.#headers);
  }
}

/** Returns the scheme that the client of a request used. */
export function schemeOf(
  connection: ClientConnection,
  trustedProxies: TrustedProxies,
  request: { readonly headers: HeaderList },
): "http" | "https" {
  if (connection.encrypted === true) return "https";
  // Every response reads the scheme. Return before `remoteAddress`, which costs a system call.
  if (trustedProxies.isEmpty) return "http";
  return trustedProxies.scheme(connection.remoteAddress ?? "", request.headers);
}

/** Returns true if a connection comes from a trusted proxy. */
export function isFromTrustedProxy(connection: ClientConnection, trustedProxies: TrustedProxies): boolean {
  return !trustedProxies.isEmpty && trustedProxies.includes(connection.remoteAddress ?? "");
}
