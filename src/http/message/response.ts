import { type Html, type HtmlStream, isHtml, isHtmlStream } from "../../html/index.ts";
import { type Cookie, serializeCookie } from "./cookie.ts";
import { errors } from "../errors.ts";
import { EventBody, type EventOptions, type ServerEvent } from "./event-stream.ts";
import { checkHeader, emptyHeaders, HeaderList, type HeadersInit, isIn } from "./header-list.ts";
import { Key } from "./key.ts";
import { mediaType } from "../../media-type/index.ts";
import { checkRedirect } from "./redirect.ts";
import { FileBody, type FileRange, type ResponseBody, type StreamBody } from "./response-body.ts";
import { fromStandard, toStandard } from "./fetch-response.ts";

/** What every way to make a response takes beside the body. */
export interface ResponseInit {
  /** 200 to 599. */
  readonly status?: number;
  /** Win over those that the maker sets itself, such as `content-type`. */
  readonly headers?: HeadersInit;
}

/** Where a redirect may lead. */
export interface RedirectInit extends ResponseInit {
  /** Default 303: the browser follows with GET. */
  readonly status?: 301 | 302 | 303 | 307 | 308;
  /** Whether it may leave this site: only for a target that does not come from a request. Default false. */
  readonly external?: boolean;
}

/** Which part of a file is sent. */
export interface FileInit extends ResponseInit, FileRange {}

type HeaderLists = readonly HeaderList[];

const noHeaders: HeaderLists = [];
const htmlHeaders: HeaderLists = [new HeaderList(["content-type", "text/html; charset=utf-8"])];
const textHeaders: HeaderLists = [new HeaderList(["content-type", "text/plain; charset=utf-8"])];
// The last one is for nginx, which would hold events back.
const eventHeaders: HeaderLists = listsOf(
  HeaderList.from({ "content-type": "text/event-stream", "cache-control": "no-store", "x-accel-buffering": "no" }),
);
const jsonHeaders: HeaderLists = [new HeaderList(["content-type", "application/json"])];

/**
 * A response. Never changes: what looks like a change gives another one.
 *
 * `Content-Length` and `Date` are set when it is sent; 204 and 304 and answers to HEAD are sent without a body.
 */
export class Response {
  readonly status: number;
  readonly body: ResponseBody;
  /** @internal The headers, in lists that responses share. */
  readonly headerLists: HeaderLists;
  readonly #slots: readonly unknown[] | undefined;

  /** @internal Nothing is checked here: use the makers. */
  constructor(status: number, headerLists: HeaderLists, body: ResponseBody, slots?: readonly unknown[]) {
    this.status = status;
    this.headerLists = headerLists;
    this.body = body;
    this.#slots = slots;
  }

  /** Header fields, names in lower case. */
  get headers(): HeaderList {
    const [first, ...others] = this.headerLists;
    if (first === undefined) return emptyHeaders;
    return others.length === 0 ? first : new HeaderList(this.headerLists.flatMap(({ flat }) => flat));
  }

  /**
   * A page. Takes what the template ``html`…` `` gives, and no plain text, so that nothing unescaped gets out. That of
   * ``html.stream`…` `` is sent as it is made, as fast as the client reads.
   *
   * @throws E_HTML_UNSAFE
   */
  static html(page: Html | HtmlStream, init?: ResponseInit): Response {
    if (isHtmlStream(page)) return make(page, htmlHeaders, init);
    if (!isHtml(page)) throw errors.E_HTML_UNSAFE();
    return make(page.toString(), htmlHeaders, init);
  }

  /** Plain text. */
  static text(text: string, init?: ResponseInit): Response {
    return make(text, textHeaders, init);
  }

  /** JSON. A value that JSON cannot hold at its top, such as `undefined`, throws a TypeError. */
  static json(value: unknown, init?: ResponseInit): Response {
    const text = JSON.stringify(value) as string | undefined;
    if (text === undefined) throw new TypeError(`JSON has no way to write ${typeof value}`);
    return make(text, jsonHeaders, init);
  }

  /** Sends the browser elsewhere, by default with 303. @throws E_REDIRECT_EXTERNAL */
  static redirect(to: string, init?: RedirectInit): Response {
    const location = checkRedirect(to, init?.external ?? false);
    return make(undefined, [new HeaderList(["location", location])], { status: 303, ...init });
  }

  /** A body that is made while it is sent, as fast as the client reads. `content-type` is the caller's to give. */
  static stream(body: StreamBody, init?: ResponseInit): Response {
    return make(body, noHeaders, init);
  }

  /**
   * Events for a page that listens with `EventSource`, sent as they come (HTML, "Server-sent events"). The source is
   * closed when the client goes or the server stops; have it watch `request.signal` where it waits for long.
   */
  static events(events: AsyncIterable<ServerEvent>, init?: ResponseInit & EventOptions): Response {
    return make(new EventBody(events, init), eventHeaders, init);
  }

  /** Bytes. `content-type` is the caller's to give. */
  static bytes(bytes: Uint8Array, init?: ResponseInit): Response {
    return make(bytes, noHeaders, init);
  }

  /**
   * A file, or the part of it from `start` on, `length` bytes long. It is opened when the response is sent; when it
   * cannot be, the request ends with 500.
   *
   * The path is used as it is: a path that holds anything from a request must be checked first.
   */
  static file(path: string, init?: FileInit): Response {
    return make(new FileBody(path, init), [new HeaderList(["content-type", mediaType(path)])], init);
  }

  /** No body; 204 unless told otherwise. */
  static empty(status = 204, init?: ResponseInit): Response {
    return make(undefined, noHeaders, { ...init, status });
  }

  /**
   * Our response of an answer: itself, or that of a web-standard one.
   *
   * @throws E_RESPONSE_MISSING when it is neither.
   */
  static from(answer: Response | globalThis.Response): Response {
    if (answer instanceof Response) return answer;
    if (answer instanceof globalThis.Response) {
      const { status, headers, body } = fromStandard(answer);
      return new Response(status, listsOf(headers), body);
    }
    throw errors.E_RESPONSE_MISSING((answer as unknown) === null ? "null" : `a value of type ${typeof answer}`);
  }

  /** A key for a value that travels on a response. */
  static key<T>(name: string): Key<T> {
    return new Key(name);
  }

  /** The value of a header, by its name in any letter case. */
  header(name: string): string | undefined {
    const wanted = name.toLowerCase();
    let found: string | undefined;
    for (const list of this.headerLists) {
      const value = list.get(wanted);
      if (value !== undefined) found = found === undefined ? value : `${found}, ${value}`;
    }
    return found;
  }

  /** With this header in place of all of its name. @throws E_HEADER_INVALID */
  withHeader(name: string, value: string): Response {
    const field = checkHeader(name, value);
    const kept = isIn(this.headerLists, field) ? this.withoutHeader(field) : this;
    return kept.#withList(new HeaderList([field, value]));
  }

  /** With this header beside those of its name. @throws E_HEADER_INVALID */
  withAddedHeader(name: string, value: string): Response {
    return this.#withList(new HeaderList([checkHeader(name, value), value]));
  }

  /**
   * Returns a copy with the headers that the response does not have yet.
   *
   * @param defaults a `HeaderList` is taken as checked: build it once if the headers are the same each time
   * @throws E_HEADER_INVALID
   */
  withDefaultHeaders(defaults: HeadersInit): Response {
    return this.#withList(HeaderList.from(defaults).without(this.headerLists));
  }

  withoutHeader(name: string): Response {
    const lowerCase = name.toLowerCase();
    return this.#withHeaders(this.headers.filter((field) => field !== lowerCase));
  }

  /** With this cookie in place of one of the same name that the response sets. @throws E_COOKIE_INVALID */
  withCookie(cookie: Cookie): Response {
    const list = new HeaderList(["set-cookie", serializeCookie(cookie)]);
    return (isIn(this.headerLists, "set-cookie") ? this.#withoutCookie(cookie.name) : this).#withList(list);
  }

  #withoutCookie(cookie: string): Response {
    return this.#withHeaders(
      this.headers.filter((name, value) => name !== "set-cookie" || !value.startsWith(`${cookie}=`)),
    );
  }

  /** @throws E_STATUS_INVALID */
  withStatus(status: number): Response {
    return new Response(checkStatus(status), this.headerLists, this.body, this.#slots);
  }

  /** With another body; headers that describe the old one, such as `etag`, are the caller's to change. */
  withBody(body: ResponseBody): Response {
    return new Response(this.status, this.headerLists, body, this.#slots);
  }

  /** What was left under a key. */
  slot<T>(key: Key<T>): T | undefined {
    if (this.#slots === undefined) return undefined;
    const at = this.#slots.indexOf(key);
    return at === -1 ? undefined : (this.#slots[at + 1] as T);
  }

  /** With a value under a key, for a middleware to find on the way out. Never sent. */
  withSlot<T>(key: Key<T>, value: T): Response {
    const slots = this.#slots === undefined ? [] : [...this.#slots];
    const at = slots.indexOf(key);
    if (at === -1) slots.push(key, value);
    else slots[at + 1] = value;
    return new Response(this.status, this.headerLists, this.body, slots);
  }

  /** The same as a web-standard response. A file is opened when its body is read. */
  toStandard(): globalThis.Response {
    return toStandard(this);
  }

  #withHeaders(headers: HeaderList): Response {
    return new Response(this.status, listsOf(headers), this.body, this.#slots);
  }

  #withList(list: HeaderList): Response {
    return new Response(this.status, [...this.headerLists, list], this.body, this.#slots);
  }
}

function listsOf(headers: HeaderList): HeaderLists {
  return headers.flat.length === 0 ? noHeaders : [headers];
}

function make(body: ResponseBody, own: HeaderLists, init: ResponseInit | undefined): Response {
  if (init === undefined) return new Response(200, own, body);
  const { status = 200, headers } = init;
  if (headers === undefined) return new Response(checkStatus(status), own, body);
  const given = listsOf(HeaderList.from(headers));
  return new Response(checkStatus(status), [...own.map((list) => list.without(given)), ...given], body);
}

function checkStatus(status: number): number {
  if (!Number.isInteger(status) || status < 200 || status > 599) throw errors.E_STATUS_INVALID(status);
  return status;
}
