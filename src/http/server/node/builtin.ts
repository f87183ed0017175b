import type * as Http from "node:http";
import type * as Http2 from "node:http2";

/**
 * `node:http`. An `import` of it would read all of its exports, and so load what some of them load at their first use:
 * fetch and WebSockets, some 70 ms at every start of every command.
 */
export const http: typeof Http = process.getBuiltinModule("node:http");

/** `node:http2`, which takes as long to load as the rest of a start, and is needed with TLS alone. */
export const http2 = (): typeof Http2 => process.getBuiltinModule("node:http2");
