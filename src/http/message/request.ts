import { type Kind, preferredKind } from "./accept.ts";
import { type Cookies, parseCookies } from "./cookie.ts";
import { errors } from "../errors.ts";
import { Key } from "./key.ts";
import type { Part, Upload, UploadLimits } from "../multipart/part.ts";
import { parseParameters } from "./parameters.ts";
import {
  decodeForm,
  decodeJson,
  decodeText,
  demandForm,
  demandJson,
  type FormEntries,
  isJson,
} from "./request-body.ts";
import { nextRequestId, saneRequestId } from "./request-id.ts";
import { defaultServerContext, type ServerContext } from "./server-context.ts";
import { RequestCache, type RequestSource } from "./request-source.ts";
import { FetchSource } from "./fetch-request.ts";

/** What of a request can be replaced in a copy. */
export interface RequestChanges<Params extends object> {
  readonly method?: string;
  /** Canonical, as `Request.path` is. */
  readonly path?: string;
  readonly params?: Params;
  /** Bytes that the body may have, for all copies. Default: that of the HTTP service. */
  readonly maxBodyBytes?: number;
}

/** What a request that is made from a web-standard one cannot know. */
export interface RequestOptions {
  readonly ip?: string;
  readonly prefix?: string;
  readonly maxBodyBytes?: number;
  readonly maxParameters?: number;
}

/**
 * A request. All parts are read when they are first asked for, and kept.
 *
 * `Params` are the path parameters, inferred from the path of the route.
 */
export class Request<Params extends object = Readonly<Record<string, string>>> {
  /** In upper case, after method override. */
  readonly method: string;
  /** Canonical: decoded, with a leading slash and no trailing one, without `prefix`. */
  readonly path: string;
  /** The path parameters, decoded. */
  readonly params: Params;
  readonly #source: RequestSource;
  readonly #cache: RequestCache;

  /** @internal Requests are made by the HTTP service, and by `Request.from`. */
  constructor(source: RequestSource, method: string, path: string, params: Params, cache?: RequestCache) {
    this.method = method;
    this.path = path;
    this.params = params;
    this.#source = source;
    this.#cache = cache ?? new RequestCache();
  }

  /**
   * A request made from a web-standard one.
   *
   * @throws E_TARGET_MALFORMED
   */
  static from(request: globalThis.Request, options?: RequestOptions): Request {
    const { ip, ...server } = options ?? {};
    return Request.over(
      new FetchSource(request, { ...defaultServerContext, ...server }, ip === undefined ? {} : { ip }),
    );
  }

  /** @internal */
  static over(source: FetchSource): Request {
    return new Request(source, source.method, source.path, emptyParams);
  }

  /** A key for a value that middlewares leave on a request or a response. */
  static key<T>(name: string): Key<T> {
    return new Key(name);
  }

  /**
   * The pattern of the route that answers it, with all scopes and without `prefix`: `/todos/:id`. On every copy of the
   * request; `undefined` as long as no route was found, and for ever where none is: 404, 405, static files.
   */
  get route(): string | undefined {
    return this.#cache.route;
  }

  /** The request target as it was sent: path and query. */
  get target(): string {
    return this.#source.target;
  }

  /**
   * The parameters of the query string.
   *
   * @throws E_TOO_MANY_PARAMETERS
   */
  get query(): URLSearchParams {
    return (this.#cache.query ??= parseParameters(this.#source.query, "query", this.#source.server.maxParameters));
  }

  /** The headers in the order in which they were sent, names in lower case. */
  get headers(): Iterable<readonly [name: string, value: string]> {
    return this.#source.headers;
  }

  /** A header by its name, in any letter case. Repeated ones are joined by commas (cookies by semicolons). */
  header(name: string): string | undefined {
    return this.#source.header(name.toLowerCase());
  }

  /** The first cookie of a name. Its value is as it was sent: not decoded. */
  cookie(name: string): string | undefined {
    return this.cookies.find(([candidate]) => candidate === name)?.[1];
  }

  /** All cookies in the order in which they were sent, two of one name included. */
  get cookies(): Cookies {
    return (this.#cache.cookies ??= parseCookies(this.header("cookie")));
  }

  /** The address of the client. */
  get ip(): string {
    return this.#source.ip;
  }

  /** What stands before every path of the application (`PREFIX_PATH`), without a trailing slash; mostly empty. */
  get prefix(): string {
    return this.#source.server.prefix;
  }

  /** @internal The server that the request came to. */
  get server(): ServerContext {
    return this.#source.server;
  }

  /** Aborted when the client goes before the answer is complete. */
  get signal(): AbortSignal {
    return this.#source.signal;
  }

  /**
   * The identifier of the request in logs and on error pages: the `x-request-id` that came with it if it is 1 to 128
   * letters, digits, `.`, `_` and `-`, otherwise a new one of 16 hexadecimal digits.
   */
  get id(): string {
    return (this.#cache.id ??= saneRequestId(this.header("x-request-id")) ?? nextRequestId());
  }

  /** How the client reached us: over https, or in the clear. */
  get scheme(): "http" | "https" {
    return this.#source.scheme;
  }

  /** The URL as the client asked for it. Its host is the client's claim: never build links from it. */
  get url(): URL {
    const { scheme, target } = this.#source;
    return (this.#cache.url ??= new URL(
      target === "*" ? "/" : target,
      `${scheme}://${this.header("host") ?? "localhost"}`,
    ));
  }

  /**
   * Whether the client would rather have this kind of answer than the other, by its `Accept` header. When it has no wish:
   * JSON if it sends JSON or `Web.Middleware.json` says so, as that of `api()` does; otherwise HTML.
   */
  wants(kind: Kind): boolean {
    const isProgram = this.#cache.prefersJson || isJson(this.header("content-type"));
    return preferredKind(this.header("accept"), isProgram ? "json" : "html") === kind;
  }

  /** @internal Gives JSON to a client that states no wish, in all copies of the request. */
  preferJson(): void {
    this.#cache.prefersJson = true;
  }

  /**
   * The body as bytes.
   *
   * @throws E_BODY_TOO_LARGE, E_BODY_ENCODING, E_BODY_USED, E_CLIENT_GONE (all reject)
   */
  bytes(): Promise<Uint8Array> {
    return (this.#cache.bytes ??= this.#readBytes());
  }

  #readBytes(): Promise<Uint8Array> {
    try {
      this.#demandIdentity();
      const { stream, replay } = this.#cache;
      if (stream !== undefined) throw errors.E_BODY_USED();
      if (replay === undefined) return this.#source.readBody();
      this.#demandFit();
      return gather(replay.body);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #demandIdentity(): void {
    const encoding = this.header("content-encoding");
    if (encoding !== undefined && encoding.toLowerCase() !== "identity") throw errors.E_BODY_ENCODING(encoding);
  }

  /** Refuses a body that is known to be too large before any more of it is read. */
  #demandFit(): void {
    const known = Math.max(Number(this.header("content-length") ?? 0), this.#cache.replay?.size ?? 0);
    if (known > this.#source.maxBodyBytes) throw errors.E_BODY_TOO_LARGE(this.#source.maxBodyBytes);
  }

  /**
   * The body as text, of whatever type.
   *
   * @throws E_BODY_MALFORMED when it is no UTF-8, and what `bytes` throws.
   */
  async text(): Promise<string> {
    return decodeText(await this.bytes());
  }

  /**
   * The value of a JSON body.
   *
   * @throws E_CONTENT_TYPE, E_BODY_MALFORMED, and what `bytes` throws.
   */
  json(): Promise<unknown> {
    return (this.#cache.json ??= this.#readJson());
  }

  async #readJson(): Promise<unknown> {
    demandJson(this.header("content-type"));
    return decodeJson(await this.bytes());
  }

  /**
   * The fields of an urlencoded body.
   *
   * @throws E_CONTENT_TYPE, E_TOO_MANY_PARAMETERS, E_BODY_MALFORMED, and what `bytes` throws.
   */
  form(): Promise<FormEntries> {
    return (this.#cache.form ??= this.#readForm());
  }

  async #readForm(): Promise<FormEntries> {
    demandForm(this.header("content-type"));
    return decodeForm(await this.bytes(), this.#source.server.maxParameters);
  }

  /**
   * The parts of a multipart form as they arrive: fields with their value, files to be read before the next part is asked
   * for. Nothing is kept. Once, and not together with `upload` or `body`.
   *
   * All that it throws rejects: E_CONTENT_TYPE, E_BODY_MALFORMED, E_TOO_MANY_FILES, E_TOO_MANY_PARAMETERS,
   * E_FILE_TOO_LARGE, E_FIELDS_TOO_LARGE, E_PART_GONE, and what `bytes` throws.
   *
   * @example
   * for await (const part of request.parts({ files: 1 })) {
   *   if (part.kind === "file") await storage.put(part);
   * }
   */
  async *parts(limits: UploadLimits = {}): AsyncGenerator<Part, void> {
    const { partsOf } = await import("../multipart/parts.ts");
    yield* partsOf(this, limits);
  }

  /**
   * Receives a multipart form, then does the work with its fields and files, and gives what the work gives. The files wait
   * in a temporary folder that is removed when the work is done or has failed, and when the form was not received as a
   * whole: what is to be kept must be stored by then.
   *
   * Throws (rejects) as `parts`.
   *
   * @example
   * const create = (request: Web.Request) =>
   *   request.upload(async ({ fields, file }) => {
   *     const photo = file("photo");
   *     if (photo !== undefined) await storage.put(photo);
   *     return Web.Response.redirect("/photos");
   *   });
   */
  async upload<T>(work: (upload: Upload) => T | Promise<T>, limits: UploadLimits = {}): Promise<T> {
    const { receive } = await import("../multipart/upload.ts");
    return await receive(this.parts(limits), work);
  }

  /**
   * @internal The fields of a multipart form that come before its first file; none of a form that cannot be read. Whoever
   * reads the body afterwards gets all of it.
   *
   * @throws E_BODY_USED, E_BODY_TIMEOUT, E_CLIENT_GONE (all reject)
   */
  leadingFields(): Promise<FormEntries> {
    return (this.#cache.leading ??= this.#readLeading());
  }

  async #readLeading(): Promise<FormEntries> {
    const { readLeading } = await import("../multipart/leading.ts");
    const { server, maxBodyBytes } = this.#source;
    if (this.#cache.stream !== undefined) throw errors.E_BODY_USED();
    if (this.#cache.bytes !== undefined) return [];
    // A chunk may hold the beginning of a file, for which the route may have a higher limit. It is not known yet.
    this.#source.maxBodyBytes = Infinity;
    try {
      const limits = { fields: server.maxParameters, fieldsSize: maxBodyBytes };
      const read = await readLeading(this.#source.streamBody(), this.header("content-type"), limits);
      this.#cache.replay = read;
      return read.fields;
    } finally {
      this.#source.maxBodyBytes = maxBodyBytes;
    }
  }

  /**
   * The body as it arrives, within the same limit; fails as `bytes` does. A body that was read already, as a form is to
   * see whether it overrides the method, comes as a whole.
   *
   * @throws E_BODY_ENCODING, E_BODY_TOO_LARGE when its `Content-Length` says so.
   */
  get body(): ReadableStream<Uint8Array> {
    this.#demandIdentity();
    const { stream, bytes, replay } = this.#cache;
    if (stream !== undefined) return stream;
    if (bytes !== undefined) return (this.#cache.stream = streamOf(bytes));
    this.#demandFit();
    return (this.#cache.stream = replay?.body ?? this.#source.streamBody());
  }

  /** What was left under a key, on this request or any copy of it. */
  get<T>(key: Key<T>): T | undefined {
    return this.#cache.values?.get(key) as T | undefined;
  }

  /** Leaves a value under a key for what comes after, on this request and all its copies. */
  set<T>(key: Key<T>, value: T): void {
    (this.#cache.values ??= new Map()).set(key, value);
  }

  /** A copy with some parts replaced. All that was read, or will be, is shared. */
  with<Changed extends object = Params>(changes: RequestChanges<Changed>): Request<Changed> {
    const {
      method = this.method,
      path = this.path,
      params = this.params as unknown as Changed,
      maxBodyBytes,
    } = changes;
    if (maxBodyBytes !== undefined) this.#source.maxBodyBytes = maxBodyBytes;
    return new Request(this.#source, method, path, params, this.#cache);
  }

  /** @internal Says which route was found. */
  setRoute(route: string | undefined): void {
    this.#cache.route = route;
  }

  /** @internal The copy that a route's handler gets; as `with({ params })`, on the path of every request. */
  withParams<Changed extends object>(params: Changed): Request<Changed> {
    return new Request(this.#source, this.method, this.path, params, this.#cache);
  }
}

function streamOf(bytes: Promise<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start: async (controller) => {
      const read = await bytes;
      if (read.byteLength > 0) controller.enqueue(read);
      controller.close();
    },
  });
}

async function gather(body: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The parameters of a path that has none. */
export const emptyParams: Readonly<Record<string, string>> = Object.freeze({});
