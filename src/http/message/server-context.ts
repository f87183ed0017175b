import { defaultMaxParameters } from "./parameters.ts";

/** Server that received a request, as far as the request needs it. One object serves all requests of a server. */
export interface ServerContext {
  /** Path prefix of the application without a trailing slash (`PREFIX_PATH`), or an empty string. */
  readonly prefix: string;
  /** Maximum size of a body, in bytes. */
  readonly maxBodyBytes: number;
  /** Maximum number of parameters in a query or a form. */
  readonly maxParameters: number;
  /** Paths of the named routes, by name. */
  readonly namedPaths: ReadonlyMap<string, string>;
  /** True once the server has begun to stop. */
  readonly isStopping: boolean;
  /** Application that handles the request, `undefined` without a server. Opaque here: the layer above knows its type. */
  readonly application: object | undefined;
}

/** Default maximum size of a body: 1 MiB, in bytes. */
export const defaultMaxBodyBytes: number = 1024 * 1024;

/** Context of a request that was made without a server. */
export const defaultServerContext: ServerContext = Object.freeze({
  prefix: "",
  maxBodyBytes: defaultMaxBodyBytes,
  maxParameters: defaultMaxParameters,
  namedPaths: new Map<string, string>(),
  isStopping: false,
  application: undefined,
});
