import type { Service } from "../core/index.ts";
import { defaultParameterLimit } from "./parameters.ts";
import type { Route } from "./router/route.ts";

/** What a request knows of the server that it came to: the same for all its requests. */
export interface RequestServer {
  /** What stands before every path of the application, without a trailing slash: `PREFIX_PATH`. */
  readonly prefix: string;
  /** Bytes that a body may have. */
  readonly bodyLimit: number;
  /** Parameters that a query or a form may have. */
  readonly parameterLimit: number;
  /** The paths of the routes that have a name, by name. */
  readonly paths: ReadonlyMap<string, string>;
  /** All routes, in the order of their declaration. */
  readonly routes: readonly Route[];
  /** The services of the run; empty while the server was not started. */
  readonly services: readonly Service.Service[];
  /** Whether the server is about to end. */
  readonly isStopping: boolean;
}

/** The most bytes that a body may have, unless the HTTP service or a middleware says otherwise. */
export const defaultBodyLimit: number = 1024 * 1024;

/** What a request knows that came to no server. */
export const noServer: RequestServer = Object.freeze({
  prefix: "",
  bodyLimit: defaultBodyLimit,
  parameterLimit: defaultParameterLimit,
  paths: new Map<string, string>(),
  routes: [],
  services: [],
  isStopping: false,
});
