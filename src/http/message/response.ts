import { type Html, type HtmlStream, isHtml, isHtmlStream } from "../../html/index.ts";
import { suppressUnhandledRejection } from "../../core/index.ts";
import { type Cookie, serializeCookie } from "./cookie.ts";
import { describeValue, errors } from "../errors.ts";
import { EventStreamBody, type EventOptions, type ServerEvent } from "./event-stream.ts";
import { checkHeader, emptyHeaders, HeaderList, type HeadersInit, someHasHeader } from "./header-list.ts";
import { Key } from "./request-source.ts";
import { LanguageInternals } from "../../language/index.ts";
import { mediaType } from "../../media-type/index.ts";

import {
  FileBody,
  type FileLocation,
  type FileRange,
  fromStandard,
  type ResponseBody,
  type StreamBody,
  toStandard,
} from "./fetch-response.ts";

/** Status and headers of a new response. */
export interface ResponseInit {
  /** Status, 200 to 599. */
  readonly status?: number;
  /** Headers. They override the headers of the factory method, such as `content-type`. */
  readonly headers?: HeadersInit;
}

/** Options of `Response.redirect`. */
export interface RedirectInit extends ResponseInit {
  /** Status. Default 303: the browser follows with GET. */
  readonly status?: 301 | 302 | 303 | 307 | 308;
  /** True if the target may be another site. Use it only for a target that does not come from a request. Default false. */
  readonly external?: boolean;
}

/** Options of `Response.file`. */
export interface FileInit extends ResponseInit, FileRange, FileLocation {}

type HeaderLists = readonly HeaderList[];

const noHeaders: HeaderLists = [];
const listsOf = (headers: HeaderList): HeaderLists => (headers.flat.length === 0 ? noHeaders : [headers]);

const htmlHeaders: HeaderLists = [new HeaderList(["content-type", "text/html; charset=utf-8"])];
const textHeaders: HeaderLists = [new HeaderList(["content-type", "text/plain; charset=utf-8"])];
// nginx buffers responses unless `x-accel-buffering` is `no`.
const eventHeaders: HeaderLists = listsOf(
  HeaderList.from({ "content-type": "text/event-stream", "cache-control": "no-store", "x-accel-buffering": "no" }),
);
const jsonHeaders: HeaderLists = [new HeaderList(["content-type", "application/json"])];

/**
 * Immutable HTTP response. The `with…` methods return a changed copy. `Content-Length` and `Date` are set when it is
 * sent. 204, 304 and responses to HEAD are sent without a body.
 */
export class Response {
  readonly status: number;
  readonly body: ResponseBody;
  /** @internal Headers, in lists that several responses share: each list is checked and formatted once. */
  readonly headerLists: HeaderLists;
  readonly #values: readonly unknown[] | undefined;

  /** @internal Checks nothing: use the factory methods. */
  constructor(status: number, headerLists: HeaderLists, body: ResponseBody, values?: readonly unknown[]) {
    this.status = status;
    this.headerLists = headerLists;
    this.body = body;
    this.#values = values;
  }

  /** Header fields, names in lower case. */
  get headers(): HeaderList {
    const [first, ...others] = this.headerLists;
    if (first === undefined) return emptyHeaders;
    return others.length === 0 ? first : new HeaderList(this.headerLists.flatMap(({ flat }) => flat));
  }

  /**
   * Creates a page from an ``html`…` `` template. Plain text is refused, so that no unescaped text is sent. The result of
   * ``html.stream`…` `` is streamed with back-pressure.
   *
   * @throws E_HTML_UNSAFE
   */
  static html(page: Html | HtmlStream, init?: ResponseInit): Response {
    if (isHtmlStream(page)) return makeResponse(LanguageInternals.bindIterable(page), htmlHeaders, init);
    if (!isHtml(page)) throw errors.E_HTML_UNSAFE(...describeMistake(page));
    return makeResponse(page.toString(), htmlHeaders, init);
  }

  /** Creates a plain text response. Throws a TypeError for another value. */
  static text(text: string, init?: ResponseInit): Response {
    requireBody(typeof text === "string", "text", "a string. Response.json sends other values", text);
    return makeResponse(text, textHeaders, init);
  }

  /**
   * Creates a JSON response. Throws a TypeError for a value without a JSON form, such as `undefined`, and for a promise
   * anywhere in it.
   */
  static json(value: unknown, init?: ResponseInit): Response {
    const text = JSON.stringify(value) as string | undefined;
    if (text === undefined) throw new TypeError(`JSON cannot represent a value of type ${typeof value}`);
    // A promise becomes an empty object.
    if (text.includes("{}")) refusePromises(value);
    return makeResponse(text, jsonHeaders, init);
  }

  /** Creates a redirect, by default with 303. @throws E_REDIRECT_EXTERNAL */
  static redirect(to: string, init?: RedirectInit): Response {
    const location = checkRedirect(to, init?.external ?? false);
    return makeResponse(undefined, [new HeaderList(["location", location])], { status: 303, ...init });
  }

  /** Creates a response whose body is streamed with back-pressure. Set `content-type` in `init`. */
  static stream(body: StreamBody, init?: ResponseInit): Response {
    requireBody(isIterable(body), "stream", "an iterable", body);
    const bound = body instanceof ReadableStream ? body : LanguageInternals.bindIterable(body);
    return makeResponse(bound, noHeaders, init);
  }

  /**
   * Creates an event stream for `EventSource` (HTML, "Server-sent events"). The source is closed when the client disconnects
   * or the server stops. A source that waits for a long time should watch `request.signal`.
   */
  static events(events: AsyncIterable<ServerEvent>, init?: ResponseInit & EventOptions): Response {
    requireBody(isIterable(events), "events", "an iterable", events);
    return makeResponse(
      new EventStreamBody(LanguageInternals.bindIterable(events) as AsyncIterable<ServerEvent>, init),
      eventHeaders,
      init,
    );
  }

  /** Creates a response from bytes. Set `content-type` in `init`. */
  static bytes(bytes: Uint8Array, init?: ResponseInit): Response {
    requireBody(bytes instanceof Uint8Array, "bytes", "a Uint8Array", bytes);
    return makeResponse(bytes, noHeaders, init);
  }

  /**
   * Creates a response from a file, or from its `length` bytes at `start`. A whole file is sent with `ETag` and `Last-Modified`,
   * and conditions and ranges of the request are answered (RFC 9110 §13, §14). A file that cannot be read is 404.
   *
   * Without `directory`, the path is used as it is: it must not contain anything from a request.
   *
   * @throws E_NOT_FOUND if the path leaves the directory, or is hidden in it
   * @example
   * Web.get("/files/*path", ({ params }) => Web.Response.file(params.path, { directory: "/srv/files" }));
   */
  static file(path: string, init?: FileInit): Response {
    return makeResponse(new FileBody(path, init), [new HeaderList(["content-type", mediaType(path)])], init);
  }

  /** Creates a response without a body. */
  static empty(status = 204, init?: ResponseInit): Response {
    return makeResponse(undefined, noHeaders, { ...init, status });
  }

  /** Creates a key for a value that middlewares attach to a response. */
  static key<T>(name: string): Key<T> {
    return new Key(name);
  }

  /** Returns the value of a header, by its name in any letter case. Repeated headers are joined by commas. */
  header(name: string): string | undefined {
    const field = name.toLowerCase();
    let joined: string | undefined;
    for (const list of this.headerLists) {
      const value = list.get(field);
      if (value !== undefined) joined = joined === undefined ? value : `${joined}, ${value}`;
    }
    return joined;
  }

  /** Returns a copy in which this header replaces all headers of its name. @throws E_HEADER_INVALID */
  withHeader(name: string, value: string): Response {
    const field = checkHeader(name, value);
    const response = someHasHeader(this.headerLists, field) ? this.withoutHeader(field) : this;
    return response.#withList(new HeaderList([field, value]));
  }

  /** Returns a copy with this header in addition to others of its name. @throws E_HEADER_INVALID */
  withAddedHeader(name: string, value: string): Response {
    return this.#withList(new HeaderList([checkHeader(name, value), value]));
  }

  /**
   * Returns a copy with the headers that it does not have yet; a `HeaderList` is taken as checked. @throws
   * E_HEADER_INVALID
   */
  withDefaultHeaders(defaults: HeadersInit): Response {
    return this.#withList(HeaderList.from(defaults).without(this.headerLists));
  }

  /** Returns a copy without the headers of this name. */
  withoutHeader(name: string): Response {
    const lowerCase = name.toLowerCase();
    return this.#withHeaders(this.headers.filter((field) => field !== lowerCase));
  }

  /** Returns a copy that sets this cookie, instead of a cookie of the same name. @throws E_COOKIE_INVALID */
  withCookie(cookie: Cookie): Response {
    const list = new HeaderList(["set-cookie", serializeCookie(cookie)]);
    return (someHasHeader(this.headerLists, "set-cookie") ? this.#withoutCookie(cookie.name) : this).#withList(list);
  }

  #withoutCookie(cookie: string): Response {
    const isOther = (name: string, value: string): boolean => name !== "set-cookie" || !value.startsWith(`${cookie}=`);
    return this.#withHeaders(this.headers.filter(isOther));
  }

  /** Returns a copy with another status. @throws E_STATUS_INVALID */
  withStatus(status: number): Response {
    return new Response(checkStatus(status), this.headerLists, this.body, this.#values);
  }

  /** Returns a copy with another body. Headers that describe the body, such as `etag`, stay as they are. */
  withBody(body: ResponseBody): Response {
    return new Response(this.status, this.headerLists, body, this.#values);
  }

  /** Returns the value that was attached under a key. */
  get<T>(key: Key<T>): T | undefined {
    if (this.#values === undefined) return undefined;
    const index = this.#values.indexOf(key);
    return index === -1 ? undefined : (this.#values[index + 1] as T);
  }

  /** Returns a copy with a value under a key, for an outer middleware. The value is not sent. */
  withValue<T>(key: Key<T>, value: T): Response {
    const values = this.#values === undefined ? [] : [...this.#values];
    const index = values.indexOf(key);
    if (index === -1) values.push(key, value);
    else values[index + 1] = value;
    return new Response(this.status, this.headerLists, this.body, values);
  }

  /** Converts the response to a Fetch API response. A file is opened when its body is read. */
  toStandard(): globalThis.Response {
    return toStandard(this);
  }

  #withHeaders(headers: HeaderList): Response {
    return new Response(this.status, listsOf(headers), this.body, this.#values);
  }

  #withList(list: HeaderList): Response {
    return new Response(this.status, [...this.headerLists, list], this.body, this.#values);
  }
}

/** Converts the result of a handler, a response or one of the Fetch API. @throws E_RESPONSE_MISSING for others */
export function toResponse(result: Response | globalThis.Response): Response {
  if (result instanceof Response) return result;
  if (result instanceof globalThis.Response) {
    const { status, headers, body } = fromStandard(result);
    return new Response(status, listsOf(headers), body);
  }
  throw errors.E_RESPONSE_MISSING(...describeMistake(result));
}

/** Describes a value instead of a page or a response, with the likely mistake. */
function describeMistake(value: unknown): readonly [value: string, hint: string | undefined] {
  const description = describeValue(value);
  return [description, mistakes[description]];
}

const mistakes: Readonly<Record<string, string>> = {
  undefined: " Is a `return` missing?",
  "a function": " Is it not called?",
  "a promise": " Await it first.",
};

/** Checks a body where it is passed: the stack of an error while it is sent has no line of the application. */
function requireBody(isValid: boolean, factory: string, expected: string, body: unknown): void {
  if (isValid) return;
  const description = describeValue(body);
  const hint = description === "undefined" ? " Is an `await` missing?" : (mistakes[description] ?? "");
  throw new TypeError(`Response.${factory} got ${description} instead of ${expected}.${hint}`);
}

const isIterable = (body: unknown): boolean => Symbol.asyncIterator in Object(body) || Symbol.iterator in Object(body);

function makeResponse(body: ResponseBody, defaults: HeaderLists, init: ResponseInit | undefined): Response {
  if (init === undefined) return new Response(200, defaults, body);
  const { status = 200, headers } = init;
  if (headers === undefined) return new Response(checkStatus(status), defaults, body);
  const overrides = listsOf(HeaderList.from(headers));
  return new Response(checkStatus(status), [...defaults.map((list) => list.without(overrides)), ...overrides], body);
}

function checkStatus(status: number): number {
  if (!Number.isInteger(status) || status < 200 || status > 599) throw errors.E_STATUS_INVALID(status);
  return status;
}

/**
 * Checks the target of a redirect and returns its `Location`, with characters beyond ASCII encoded. It must be a path
 * on this origin, without control characters, and not begin with `//` or `/\`, which browsers read as `//`.
 * With `isExternal`, it may also be an absolute http or https URL.
 *
 * @throws E_REDIRECT_EXTERNAL
 */
export function checkRedirect(to: string, isExternal: boolean): string {
  // oxlint-disable-next-line eslint/no-control-regex -- control characters are what it looks for
  if (/[\x00-\x1f\x7f]/.test(to)) throw errors.E_REDIRECT_EXTERNAL(to);
  if (/^\/(?![/\\])/.test(to)) return encodeLocation(to);
  if (isExternal && /^https?:\/\/[^/\\]/i.test(to) && URL.canParse(to)) return new URL(to).href;
  const isRelative = /^[^/\\:]+(?:\/|$)/.test(to);
  throw errors.E_REDIRECT_EXTERNAL(to, isRelative);
}

/** Encodes characters that a URL cannot contain. Existing percent-escapes are preserved. */
function encodeLocation(path: string): string {
  return path.replace(/[^\x21\x23-\x3b\x3d\x3f-\x5b\x5d\x5f\x61-\x7a\x7e]/gu, (character) =>
    encodeURIComponent(character.toWellFormed()),
  );
}

function refusePromises(value: unknown): void {
  let hasPromise = false;
  JSON.stringify(value, (_key, part: unknown) => {
    if (part instanceof Promise) {
      hasPromise = true;
      suppressUnhandledRejection(part);
    }
    return part;
  });
  if (hasPromise) throw new TypeError("JSON cannot represent a promise. Await it first.");
}
