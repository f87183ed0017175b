import type * as Http from "node:http";

/**
 * `node:http`. An `import` of it would read all of its exports, and so load what some of them load at their first use:
 * fetch and WebSockets, some 70 ms at every start of every command.
 */
export const http: typeof Http = process.getBuiltinModule("node:http");
