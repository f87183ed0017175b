import type * as Http from "node:http";
import type * as Http2 from "node:http2";

/**
 * `node:http`. An `import` would read all its exports, and so load fetch and WebSockets, which some of them load on first
 * use: about 70 ms at the start of every command.
 */
export const http: typeof Http = process.getBuiltinModule("node:http");

/** Returns `node:http2`. It is loaded with TLS only: it takes as long to load as the rest of the start. */
export const http2 = (): typeof Http2 => process.getBuiltinModule("node:http2");
