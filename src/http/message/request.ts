import { preferredFormat, preferredType, type ResponseFormat } from "./accept.ts";
import { type Cookies, parseCookies } from "./cookie.ts";
import { errors } from "../errors.ts";
import { FetchSource } from "./fetch-request.ts";
import {
  type Client,
  defaultServerContext,
  emptyParams,
  Key,
  type MatchedRoute,
  RequestCache,
  type RequestSource,
  type ServerContext,
} from "./request-source.ts";
import type { Part, Upload, UploadLimits } from "../multipart/part.ts";
import { decodeForm, decodeJson, decodeText, type FormEntries, readAll, streamFrom } from "./request-body.ts";
import { generateRequestId, isJson, requireForm, requireJson, validRequestId } from "./request-headers.ts";
import { parseQuery } from "./target.ts";
import { partsOf, readFieldsBeforeFiles } from "../multipart/parts.ts";
import { receiveUpload } from "../multipart/upload.ts";

/** Fields that `Request.with` can override. */
export interface RequestChanges<Params extends object> {
  readonly method?: string;
  /** Canonical path, as in `Request.path`. */
  readonly path?: string;
  readonly params?: Params;
  /** Path prefix of links, for all copies of the request: `PREFIX_PATH`, and what a middleware has removed from the path. */
  readonly prefix?: string;
  /** Maximum size of the body in bytes, for all copies of the request. Default: `Limits.maxBodyBytes`. */
  readonly maxBodyBytes?: number;
  /** Signal of all copies of the request, instead of the one of the client. Combine both with `AbortSignal.any`. */
  readonly signal?: AbortSignal;
}

/** Options of `Request.from`: facts that a Fetch API request does not carry. */
export interface RequestOptions {
  /** Address of the client. Default `127.0.0.1`. */
  readonly ip?: string;
  /** Path prefix of the application. Default none. */
  readonly prefix?: string;
  /** Maximum size of the body, in bytes. Default 1 MiB. */
  readonly maxBodyBytes?: number;
  /** Maximum number of parameters in a query or a form. Default 1,000. */
  readonly maxParameters?: number;
}

/** HTTP request. Its parts are parsed on first access and cached. `Params` are inferred from the path of the route. */
export class Request<Params extends object = Readonly<Record<string, string>>> {
  /** Method in upper case, after method override. */
  readonly method: string;
  /** Canonical path: decoded, with a leading slash and no trailing one, without `prefix`. */
  readonly path: string;
  /** Path parameters, decoded. */
  readonly params: Params;
  readonly #source: RequestSource;
  readonly #cache: RequestCache;

  /** @internal Servers and `Request.from` create requests. */
  constructor(source: RequestSource, method: string, path: string, params: Params, cache?: RequestCache) {
    this.method = method;
    this.path = path;
    this.params = params;
    this.#source = source;
    this.#cache = cache ?? new RequestCache();
  }

  /** Creates a request from a Fetch API request. @throws E_TARGET_MALFORMED */
  static from(request: globalThis.Request, options?: RequestOptions): Request {
    const { ip, ...server } = options ?? {};
    return Request.fromSource(
      new FetchSource(request, { ...defaultServerContext, ...server }, ip === undefined ? {} : { ip }),
    );
  }

  /** @internal Creates a request over a source. */
  static fromSource(source: FetchSource): Request {
    return new Request(source, source.method, source.path, emptyParams);
  }

  /**
   * Creates a key for a value that middlewares attach to a request or a response. The error page of development shows the
   * values with a description.
   */
  static key<T>(name: string, describe?: Key<T>["describe"]): Key<T> {
    return new Key(name, describe);
  }

  /**
   * Pattern of the matched route, with all scopes and without `prefix`: `/todos/:id`. All copies of the request share it.
   * `undefined` before routing, and for 404, 405 and static files.
   */
  get route(): string | undefined {
    return this.#cache.route?.pattern;
  }

  /** Request target as it was sent: path and query. */
  get target(): string {
    return this.#source.target;
  }

  /** Parameters of the query string. @throws E_TOO_MANY_PARAMETERS */
  get query(): URLSearchParams {
    return (this.#cache.query ??= parseQuery(this.#source.query, this.#source.server.maxParameters));
  }

  /** Headers in the order in which they were sent, names in lower case. */
  get headers(): Iterable<readonly [name: string, value: string]> {
    return this.#source.headers;
  }

  /** Returns a header by its name, in any letter case. Repeated headers are joined by commas (cookies by semicolons). */
  header(name: string): string | undefined {
    return this.#source.header(name.toLowerCase());
  }

  /** Returns the value of the first cookie with this name, as sent: it is not decoded. */
  cookie(name: string): string | undefined {
    return this.cookies.find(([candidate]) => candidate === name)?.[1];
  }

  /** All cookies in the order in which they were sent, including duplicate names. */
  get cookies(): Cookies {
    return (this.#cache.cookies ??= parseCookies(this.header("cookie")));
  }

  /** Address of the client. */
  get ip(): string {
    return this.#source.ip;
  }

  /** @internal Client, for log fields that may outlive the request. */
  get client(): Client {
    return this.#source.client;
  }

  /** Path prefix of the application (`PREFIX_PATH`), without a trailing slash. Default: an empty string. */
  get prefix(): string {
    return this.#cache.prefix ?? this.#source.server.prefix;
  }

  /** @internal Server that received the request. */
  get server(): ServerContext {
    return this.#source.server;
  }

  /** Aborted when the client disconnects before the response is complete, or by `Web.Middleware.timeLimit`. */
  get signal(): AbortSignal {
    return this.#cache.signal ?? this.#source.signal;
  }

  /**
   * Identifier of the request in logs and on error pages: the `x-request-id` header of a trusted proxy if it is 1 to 128
   * letters, digits, `.`, `_` and `-`, otherwise 16 new hexadecimal digits.
   */
  get id(): string {
    return (this.#cache.id ??= this.#idOfProxy() ?? generateRequestId());
  }

  /** A client could give all its requests the identifier of another request. */
  #idOfProxy(): string | undefined {
    return this.#source.isFromTrustedProxy ? validRequestId(this.header("x-request-id")) : undefined;
  }

  /** Scheme that the client used. */
  get scheme(): "http" | "https" {
    return this.#source.scheme;
  }

  /** Requested URL. The client controls its host: never build links from it. */
  get url(): URL {
    const { scheme, target } = this.#source;
    const base = `${scheme}://${this.header("host") ?? "localhost"}`;
    return (this.#cache.url ??= new URL(target === "*" ? "/" : target, base));
  }

  /**
   * Returns true if the client prefers this format, by its `Accept` header. A client without a preference gets JSON if it
   * sends JSON or the route has `Web.Middleware.preferJson`, as routes of `api()` have. Otherwise it gets HTML.
   */
  wants(format: ResponseFormat): boolean {
    const isJsonDefault = this.#cache.prefersJson || isJson(this.header("content-type"));
    return preferredFormat(this.header("accept"), isJsonDefault ? "json" : "html") === format;
  }

  /**
   * Returns the offered media type that the client prefers by its `Accept` header (RFC 9110 §12.5.1), of equal ones the first;
   * `undefined` if it accepts none. `Web.negotiate` also answers the request.
   */
  accepts<Offer extends string>(offers: readonly Offer[]): Offer | undefined {
    return preferredType(this.header("accept"), offers);
  }

  /** @internal Makes JSON the default format for all copies of the request. */
  preferJson(): void {
    this.#cache.prefersJson = true;
  }

  /** Reads the body as bytes. @throws E_BODY_TOO_LARGE, E_BODY_ENCODING, E_BODY_USED, E_CLIENT_GONE (all reject) */
  bytes(): Promise<Uint8Array> {
    return (this.#cache.bytes ??= this.#readBytes());
  }

  #readBytes(): Promise<Uint8Array> {
    try {
      this.#requireIdentityEncoding();
      const { stream, rewoundBody } = this.#cache;
      if (stream !== undefined) throw errors.E_BODY_USED();
      if (rewoundBody === undefined) return this.#source.readBody();
      this.#requireBodyWithinLimit();
      return readAll(rewoundBody.body);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #requireIdentityEncoding(): void {
    const encoding = this.header("content-encoding");
    if (encoding !== undefined && encoding.toLowerCase() !== "identity") throw errors.E_BODY_ENCODING(encoding);
  }

  /** Refuses a body whose declared length, or the part read so far, is over the limit. */
  #requireBodyWithinLimit(): void {
    const minBytes = Math.max(Number(this.header("content-length") ?? 0), this.#cache.rewoundBody?.bytesRead ?? 0);
    if (minBytes > this.#source.maxBodyBytes) throw errors.E_BODY_TOO_LARGE(this.#source.maxBodyBytes);
  }

  /** Reads a body of any type as text. @throws E_BODY_MALFORMED for invalid UTF-8, and the errors of `bytes` */
  async text(): Promise<string> {
    return decodeText(await this.bytes());
  }

  /** Reads and parses a JSON body. @throws E_CONTENT_TYPE, E_BODY_MALFORMED, and the errors of `bytes` */
  json(): Promise<unknown> {
    return (this.#cache.json ??= this.#readJson());
  }

  async #readJson(): Promise<unknown> {
    requireJson(this.header("content-type"));
    return decodeJson(await this.bytes());
  }

  /** Reads an urlencoded form. @throws E_CONTENT_TYPE, E_TOO_MANY_PARAMETERS, E_BODY_MALFORMED, errors of `bytes` */
  form(): Promise<FormEntries> {
    return (this.#cache.form ??= this.#readForm());
  }

  async #readForm(): Promise<FormEntries> {
    requireForm(this.header("content-type"));
    return (this.#cache.formEntries = decodeForm(await this.bytes(), this.#source.server.maxParameters));
  }

  /**
   * @internal Calls a function with the fields of an urlencoded body. Fields that were read before are passed synchronously: only the
   * first of several middlewares and handlers waits. A form post takes 0.97 of the time before, without sockets and database.
   *
   * @throws the errors of `form` (reject)
   */
  withForm<T>(use: (entries: FormEntries) => T | Promise<T>): T | Promise<T> {
    const { formEntries } = this.#cache;
    return formEntries === undefined ? this.form().then(use) : use(formEntries);
  }

  /**
   * Iterates the parts of a multipart form as they arrive: fields with their value, and files to read before the next part
   * is requested. Nothing is stored. Call it once, and not together with `upload` or `body`.
   *
   * @throws E_CONTENT_TYPE, E_BODY_MALFORMED, E_TOO_MANY_FILES, E_TOO_MANY_PARAMETERS, E_FILE_TOO_LARGE,
   *   E_FIELDS_TOO_LARGE, E_PART_GONE, and the errors of `bytes` (all reject)
   * @example
   * for await (const part of request.parts({ maxFiles: 1 })) {
   *   if (part.kind === "file") await storage.put(part);
   * }
   */
  async *parts(limits: UploadLimits = {}): AsyncGenerator<Part, void> {
    yield* partsOf(this, limits);
  }

  /**
   * Receives a multipart form, calls `handle` with its fields and files, and returns its result. The files are in a
   * temporary folder, which is removed when `handle` has finished or failed, or when the form was incomplete. Store the
   * files that you need in `handle`.
   *
   * @throws the errors of `parts` (reject)
   * @example
   * const create = (request: Web.Request) =>
   *   request.upload(async ({ fields, file }) => {
   *     const photo = file("photo");
   *     if (photo !== undefined) await storage.put(photo);
   *     return Web.Response.redirect("/photos");
   *   });
   */
  async upload<T>(handle: (upload: Upload) => T | Promise<T>, limits: UploadLimits = {}): Promise<T> {
    return await receiveUpload(this.parts(limits), handle);
  }

  /**
   * @internal Reads the fields of a multipart form before its first file; none if the form is malformed. A later read of
   * the body starts at its first byte.
   *
   * @throws E_BODY_USED, E_BODY_TIMEOUT, E_CLIENT_GONE (all reject)
   */
  fieldsBeforeFiles(): Promise<FormEntries> {
    return (this.#cache.fieldsBeforeFiles ??= this.#readFieldsBeforeFiles());
  }

  async #readFieldsBeforeFiles(): Promise<FormEntries> {
    const { server, maxBodyBytes } = this.#source;
    if (this.#cache.stream !== undefined) throw errors.E_BODY_USED();
    if (this.#cache.bytes !== undefined) return [];
    // A chunk may contain the start of a file, and the route, which is not matched yet, may allow a larger body for it.
    this.#source.maxBodyBytes = Infinity;
    try {
      const limits = { maxFields: server.maxParameters, maxFieldsBytes: maxBodyBytes };
      const result = await readFieldsBeforeFiles(this.#source.streamBody(), this.header("content-type"), limits);
      this.#cache.rewoundBody = result;
      return result.fields;
    } finally {
      this.#source.maxBodyBytes = maxBodyBytes;
    }
  }

  /**
   * Body as a stream, within the same limit and with the errors of `bytes`. A body that was read before, such as a form
   * whose method override was checked, is streamed again.
   *
   * @throws E_BODY_ENCODING, E_BODY_TOO_LARGE if its `Content-Length` is over the limit
   */
  get body(): ReadableStream<Uint8Array> {
    this.#requireIdentityEncoding();
    const { stream, bytes, rewoundBody } = this.#cache;
    if (stream !== undefined) return stream;
    if (bytes !== undefined) return (this.#cache.stream = streamFrom(bytes));
    this.#requireBodyWithinLimit();
    return (this.#cache.stream = rewoundBody?.body ?? this.#source.streamBody());
  }

  /**
   * Calls a function after the response was sent, whatever its status, or after the client has disconnected. The client does
   * not wait for it; a stopping server does, within `Limits.drainTimeoutMs`. An error is logged, with the id of the request.
   * Without a socket, as in `app.request`, the caller gets the response when the work has finished.
   *
   * Work is lost when the process is killed. What must happen is a job of the queue.
   *
   * @example
   * request.afterResponse(() => Visit.record(page));
   */
  afterResponse(work: () => unknown): void {
    this.#source.onSent(this.server.backgroundWork.prepare(work));
  }

  /** Returns the value that was attached under a key to this request or a copy of it. */
  get<T>(key: Key<T>): T | undefined {
    return this.#cache.values?.get(key) as T | undefined;
  }

  /** Attaches a value under a key to this request and all its copies. */
  set<T>(key: Key<T>, value: T): void {
    (this.#cache.values ??= new Map()).set(key, value);
  }

  /** Returns a copy with some fields replaced. Body, cached parts and attached values are shared. */
  with<Changed extends object = Params>(changes: RequestChanges<Changed>): Request<Changed> {
    const { method = this.method, path = this.path, prefix, maxBodyBytes, signal } = changes;
    const { params = this.params as unknown as Changed } = changes;
    if (signal !== undefined) this.#cache.signal = signal;
    if (prefix !== undefined) this.#cache.prefix = prefix;
    if (maxBodyBytes !== undefined) this.#source.maxBodyBytes = maxBodyBytes;
    return new Request(this.#source, method, path, params, this.#cache);
  }

  /** @internal Returns names and descriptions of the attached values that have a description. */
  async describeValues(): Promise<readonly (readonly [name: string, description: string])[]> {
    const described = Array.from(this.#cache.values ?? [], async ([key, value]) => {
      const { name, describe } = key as Key<unknown>;
      const description = await describe?.(value);
      return description === undefined ? [] : [[name, description] as const];
    });
    // A description may throw: the page that shows the others must not fail.
    return (await Promise.allSettled(described)).flatMap((result) =>
      result.status === "fulfilled" ? result.value : [],
    );
  }

  /** @internal Matched route, `undefined` where `route` is. */
  get matchedRoute(): MatchedRoute | undefined {
    return this.#cache.route;
  }

  /** @internal Sets the matched route. */
  setRoute(route: MatchedRoute | undefined): void {
    this.#cache.route = route;
  }

  /** @internal Returns a copy with path parameters: `with({ params })` without its defaults, as every routed request needs it. */
  withParams<Changed extends object>(params: Changed): Request<Changed> {
    return new Request(this.#source, this.method, this.path, params, this.#cache);
  }
}
