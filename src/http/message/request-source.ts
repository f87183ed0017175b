import type { Matchers } from "../router/parameter-type.ts";
import { BackgroundWork } from "./background-work.ts";
import type { HeaderList } from "./header-list.ts";

/** Server that received a request, as far as the request needs it. One object serves all requests of a server. */
export interface ServerContext {
  /** Path prefix of the application without a trailing slash (`PREFIX_PATH`), or an empty string. */
  readonly prefix: string;
  /** Maximum size of a body, in bytes. */
  readonly maxBodyBytes: number;
  /** Maximum number of parameters in a query or a form. */
  readonly maxParameters: number;
  /** Paths of the named routes, by name. */
  readonly namedPaths: ReadonlyMap<string, { readonly path: string; readonly matchers: Matchers }>;
  /** True once the server has begun to stop. */
  readonly isStopping: boolean;
  /** Work of `Request.afterResponse`. */
  readonly backgroundWork: BackgroundWork;
  /** Application that handles the request, `undefined` without a server. Opaque here: the layer above knows its type. */
  readonly application: object | undefined;
}

/** Default maximum size of a body: 1 MiB, in bytes. */
export const defaultMaxBodyBytes: number = 1024 * 1024;

/** Default maximum number of parameters in a query or a form. */
export const defaultMaxParameters = 1000;

/** Context of a request that was made without a server. */
export const defaultServerContext: ServerContext = Object.freeze({
  prefix: "",
  maxBodyBytes: defaultMaxBodyBytes,
  maxParameters: defaultMaxParameters,
  namedPaths: new Map(),
  isStopping: false,
  backgroundWork: new BackgroundWork(),
  application: undefined,
});

/** Client of a request. It may outlive the request, so it references as little of it as possible. */
export interface Client {
  /** Address of the client, read when it is needed. */
  readonly ip: string;
}

/** Function that `RequestSource.onSent` calls; see `ResponseReport`. A caller without a socket waits for its promise. */
export type SentListener = (status: number | undefined, isIncomplete: boolean) => unknown;

/** Source of a request: `node:http`, `Bun.serve` or a Fetch API request. A new host implements this interface only. */
export interface RequestSource {
  /** Method, as sent. */
  readonly method: string;
  /** Request target, as sent: path and query, `*`, or an absolute URL. */
  readonly target: string;
  /** Query of the target without `?`, as sent. Its escapes are valid. */
  readonly query: string;
  /** Header fields, as sent. */
  readonly headers: HeaderList;
  /** Returns a header by its name in lower case. Repeated fields are joined by commas (cookies by semicolons). */
  header(name: string): string | undefined;
  /** Address of the client. */
  readonly ip: string;
  /** Client of the request, for log fields. */
  readonly client: Client;
  readonly scheme: "http" | "https";
  /** True if the connection comes from a trusted proxy. */
  readonly isFromTrustedProxy: boolean;
  readonly server: ServerContext;
  /** Maximum size of the body, in bytes. A middleware may change it before the body is read, or while it is streamed. */
  maxBodyBytes: number;
  /** Aborted when the client disconnects before the response is complete. */
  readonly signal: AbortSignal;
  /** Calls a listener once: when the response was sent, or when the client has disconnected; at once if that has happened. */
  onSent(listener: SentListener): void;
  /** Reads the whole body. @throws E_BODY_TOO_LARGE (rejects) without reading on, E_CLIENT_GONE */
  readBody(): Promise<Uint8Array>;
  /** Streams the body, with the errors of `readBody`. A declared length over the limit is not refused in advance. */
  streamBody(): ReadableStream<Uint8Array>;
}

/** Route that matched a request. */
export interface MatchedRoute {
  /** Method of the route: `GET` for a HEAD request that a GET route answers. */
  readonly method: string;
  /** Pattern of the path, as declared, with all scopes. */
  readonly pattern: string;
  /** Name of the handler function, empty for an anonymous one. */
  readonly handlerName: string;
  /** Stack of the declaration, under the development server only. */
  readonly declaration: Error | undefined;
}

/** Lazily parsed parts of a request, shared by all its copies. */
export class RequestCache {
  /** True if a client without an `Accept` preference gets JSON. */
  prefersJson = false;
  id: string | undefined;
  route: MatchedRoute | undefined;
  query: URLSearchParams | undefined;
  cookies: readonly (readonly [name: string, value: string])[] | undefined;
  url: URL | undefined;
  bytes: Promise<Uint8Array> | undefined;
  json: Promise<unknown> | undefined;
  form: Promise<readonly (readonly [name: string, value: string])[]> | undefined;
  /** Fields that `form` has resolved with. */
  formEntries: readonly (readonly [name: string, value: string])[] | undefined;
  stream: ReadableStream<Uint8Array> | undefined;
  fieldsBeforeFiles: Promise<readonly (readonly [name: string, value: string])[]> | undefined;
  /** Body from its first byte on, after `Request.fieldsBeforeFiles` has read `bytesRead` bytes of it. */
  rewoundBody: { readonly bytesRead: number; readonly body: ReadableStream<Uint8Array> } | undefined;
  /** Signal instead of `RequestSource.signal`. */
  signal: AbortSignal | undefined;
  /** Path prefix instead of `ServerContext.prefix`. */
  prefix: string | undefined;
  values: Map<object, unknown> | undefined;
}

/**
 * Path parameters by name. The prototype is empty, so that `/x/:constructor?` has no value on `/x`. V8 creates objects of a
 * constructor with fast properties, and those of `Object.create(null)` as hash tables.
 */
export const PathParams = function PathParams() {} as unknown as new () => Record<string, string>;
PathParams.prototype = Object.create(null);

/** Parameters of a path without any. */
export const emptyParams: Readonly<Record<string, string>> = Object.freeze(new PathParams());

/** Key of a value that a middleware attaches to a request or response. Keys of the same name are not equal. */
export class Key<T> {
  /** Name for debugging. */
  readonly name: string;
  /** Describes a value on the error page of development. Without it, the page leaves the value out. */
  readonly describe: ((value: T) => Promise<string | undefined> | undefined) | undefined;
  /** Type of the value, for the type checker only. */
  declare readonly value: T;

  constructor(name: string, describe?: Key<T>["describe"]) {
    this.name = name;
    this.describe = describe;
  }
}
