import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** What the server remembers of a connection. */
export interface Connection extends Socket {
  /** The answer that was begun last, until the connection has all of it, the last one until all was sent; not kept for HTTP/2. */
  [activeResponse]?: ServerResponse | undefined;
  /** Whether nothing that still comes in on it may be answered: what came before could not be understood. */
  [isClosing]?: boolean;
}

export const activeResponse: unique symbol = Symbol("answering");
export const isClosing: unique symbol = Symbol("condemned");
