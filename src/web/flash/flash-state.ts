import { Key, type Request, type Response } from "../../http/message/index.ts";
import { errors } from "../errors.ts";
import { decodeContent, emptyContent, encodeContent } from "../session/session-content.ts";
import { cookieLimit, readCookie, removedCookie, type SignedCookie, writeCookie } from "../session/signed-cookie.ts";
import { Time } from "../../time/index.ts";

/** The messages that a response leaves for the next page. */
export const flashMessages: Key<ReadonlyMap<string, string> | undefined> = new Key("flash messages");

const flashState: Key<FlashState> = new Key("flash");

/** The messages that came with one request: read when they are first asked for, and then gone. */
export class FlashState {
  readonly #request: Request;
  readonly #cookie: SignedCookie;
  readonly #maxAge: number;
  #messages: ReadonlyMap<string, string> | undefined;

  private constructor(request: Request, cookie: SignedCookie, maxAge: number) {
    this.#request = request;
    this.#cookie = cookie;
    this.#maxAge = maxAge;
  }

  /** Gives a request its messages. */
  static open(request: Request, cookie: SignedCookie, maxAge: number): FlashState {
    const state = new FlashState(request, cookie, maxAge);
    request.set(flashState, state);
    return state;
  }

  /** The messages of a request. @throws E_FLASH_MISSING when no flash middleware runs for it */
  static of(request: Request): FlashState {
    const state = request.get(flashState);
    if (state === undefined) throw errors.E_FLASH_MISSING();
    return state;
  }

  /** The messages that the previous response left. */
  get messages(): ReadonlyMap<string, string> {
    return (this.#messages ??= this.#read());
  }

  /** Adds messages to those of this request, for the page that is about to be shown. */
  add(pairs: Iterable<readonly [key: string, message: string]>): void {
    this.#messages = new Map([...this.messages, ...pairs]);
  }

  /** The response with the cookie of its messages, or without that of the messages that were read. @throws E_FLASH_TOO_LARGE */
  write(response: Response): Response {
    const messages = response.slot(flashMessages);
    if (messages === undefined) return this.#wasShown() ? withCookie(response, removedCookie(this.#cookie)) : response;
    const text = encodeContent({ ...emptyContent, values: messages });
    const cookie = writeCookie(this.#cookie, text, this.#maxAge);
    if (cookie === undefined) throw errors.E_FLASH_TOO_LARGE(cookieLimit);
    return withCookie(response.withSlot(flashMessages, undefined), cookie);
  }

  #read(): ReadonlyMap<string, string> {
    const verified = readCookie(this.#cookie, this.#request.cookies);
    if (verified === undefined || Time.timestamp() - verified.time > this.#maxAge) return emptyContent.values;
    return decodeContent(verified.value)?.values ?? emptyContent.values;
  }

  /** A HEAD request is answered by the handler for GET, but nobody sees the page. */
  #wasShown(): boolean {
    if (this.#messages === undefined || this.#request.method === "HEAD") return false;
    return this.#request.cookie(this.#cookie.name) !== undefined;
  }
}

function withCookie(response: Response, cookie: Parameters<Response["withCookie"]>[0]): Response {
  return response.withCookie(cookie).withHeader("cache-control", "no-store");
}
