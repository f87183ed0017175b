import { Key, type Request, type Response } from "../../http/message/index.ts";
import { errors } from "../errors.ts";
import { isErrorPage } from "../page/error-page-mark.ts";
import { decodeContent, emptyContent, encodeContent } from "../session/session-content.ts";
import { maxCookieBytes, readCookie, expiredCookie, type SignedCookie, writeCookie } from "../session/signed-cookie.ts";
import { TimeInternals } from "../../time/index.ts";

/** Messages that a response carries for the next page. */
export const flashMessages: Key<ReadonlyMap<string, string> | undefined> = new Key("flash messages");

const flashState: Key<FlashState> = new Key("flash");

/** Returns the flash messages of a request. @throws E_FLASH_MISSING unless it has the flash middleware or an error page */
export function flashMessagesOf(request: Request): ReadonlyMap<string, string> {
  const isOptional = request.get(flashState) === undefined && isErrorPage(request);
  return isOptional ? emptyContent.values : FlashState.of(request).messages;
}

/** Flash messages of one request: parsed on first access, and removed from the client once read. */
export class FlashState {
  readonly #request: Request;
  readonly #cookie: SignedCookie;
  readonly #maxAgeMs: number;
  #messages: ReadonlyMap<string, string> | undefined;

  /** Creates the state of a request, and attaches it to the request. */
  constructor(request: Request, cookie: SignedCookie, maxAgeMs: number) {
    this.#request = request;
    this.#cookie = cookie;
    this.#maxAgeMs = maxAgeMs;
    request.set(flashState, this);
  }

  /** Returns the state of a request. @throws E_FLASH_MISSING if no flash middleware runs for it */
  static of(request: Request): FlashState {
    const state = request.get(flashState);
    if (state === undefined) throw errors.E_FLASH_MISSING();
    return state;
  }

  /** Messages of the previous response, and those added to this request. */
  get messages(): ReadonlyMap<string, string> {
    return (this.#messages ??= this.#read());
  }

  /** Adds messages for the page that answers this request, such as a form shown again with errors. */
  add(pairs: Iterable<readonly [key: string, message: string]>): void {
    this.#messages = new Map([...this.messages, ...pairs]);
  }

  /** Sets the cookie of new messages, or removes the cookie of read ones. @throws E_FLASH_TOO_LARGE */
  write(response: Response): Response {
    const messages = response.get(flashMessages);
    if (messages === undefined) return this.#wasShown() ? withCookie(response, expiredCookie(this.#cookie)) : response;
    const text = encodeContent({ ...emptyContent, values: messages });
    const cookie = writeCookie(this.#cookie, text, this.#maxAgeMs);
    if (cookie === undefined) throw errors.E_FLASH_TOO_LARGE(maxCookieBytes);
    return withCookie(response.withValue(flashMessages, undefined), cookie);
  }

  #read(): ReadonlyMap<string, string> {
    const verified = readCookie(this.#cookie, this.#request.cookies);
    if (verified === undefined || TimeInternals.timestamp() - verified.signedAtMs > this.#maxAgeMs)
      return emptyContent.values;
    return decodeContent(verified.value)?.values ?? emptyContent.values;
  }

  /** Returns true if the page has shown the messages. HEAD runs the handler of GET, but shows no page. */
  #wasShown(): boolean {
    if (this.#messages === undefined || this.#request.method === "HEAD") return false;
    return this.#request.cookie(this.#cookie.name) !== undefined;
  }
}

/** Checks that the flash middleware runs for a request, before a handler sets messages. @throws E_FLASH_MISSING */
export function requireFlash(request: Request): void {
  FlashState.of(request);
}

function withCookie(response: Response, cookie: Parameters<Response["withCookie"]>[0]): Response {
  return response.withCookie(cookie).withHeader("cache-control", "no-store");
}
