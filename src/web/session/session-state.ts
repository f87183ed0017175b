import { Time } from "../../time/index.ts";
import { type Cookie, HeaderList, Key, type Request, type Response } from "../../http/message/index.ts";
import { errors } from "../errors.ts";
import { readSession } from "./known-sessions.ts";
import { emptyContent, encodeContent, isEmpty, type SessionContent } from "./session-content.ts";
import { cookieLimit, removedCookie, type SignedCookie, writeCookie } from "./signed-cookie.ts";

/** How long sessions last, in milliseconds; `Infinity` where nothing but the browser ends them. */
export interface SessionLife {
  /** From their beginning. */
  readonly maxAge: number;
  /** From their last use. */
  readonly idle: number;
}

/** What a response does to the session. */
export interface SessionChange {
  /** Replaces what the application keeps. */
  readonly values?: ReadonlyMap<string, string>;
  /** Replaces what the framework keeps: a new session begins. */
  readonly reserved?: ReadonlyMap<string, string>;
}

/** Where a response carries its change of the session until the middleware writes the cookie. */
export const sessionChange: Key<SessionChange | undefined> = new Key("session change");

const sessionState: Key<SessionState> = new Key("session");

/** The session of one request: read when it is first asked for, written when the response goes out. */
export class SessionState {
  readonly #request: Request;
  readonly #cookie: SignedCookie;
  readonly #life: SessionLife;
  #content: SessionContent | undefined;
  #mustWrite = false;

  private constructor(request: Request, cookie: SignedCookie, life: SessionLife) {
    this.#request = request;
    this.#cookie = cookie;
    this.#life = life;
  }

  /** Gives a request its session. */
  static open(request: Request, cookie: SignedCookie, life: SessionLife): SessionState {
    const state = new SessionState(request, cookie, life);
    request.set(sessionState, state);
    return state;
  }

  /** The session of a request. @throws E_SESSION_MISSING when no session middleware runs for it */
  static of(request: Request): SessionState {
    const state = request.get(sessionState);
    if (state === undefined) throw errors.E_SESSION_MISSING();
    return state;
  }

  /** What the session holds. */
  get content(): SessionContent {
    return (this.#content ??= this.#read());
  }

  /** Keeps a value for the framework, from this response on. */
  reserve(key: string, value: string): void {
    this.#content = { ...this.content, reserved: new Map(this.content.reserved).set(key, value) };
    this.#mustWrite = true;
  }

  /** The response with the session's cookie, if there is something to write. @throws E_SESSION_TOO_LARGE */
  write(response: Response): Response {
    const change = response.slot(sessionChange);
    if (change === undefined && !this.#mustWrite) return this.#content === undefined ? response : keepPrivate(response);
    const born = change?.reserved === undefined ? this.content.born : undefined;
    const content = { ...this.content, ...change, born };
    const settled = response.withSlot(sessionChange, undefined);
    const cookie = isEmpty(content) ? this.#removal() : this.#cookieOf(content);
    return cookie === undefined ? settled : settled.withCookie(cookie).withHeader("cache-control", "no-store");
  }

  #read(): SessionContent {
    const known = readSession(this.#cookie, this.#request.cookies);
    if (known === undefined) return emptyContent;
    const { content, time, isCurrent } = known;
    const now = Time.timestamp();
    const unused = now - time;
    if (unused > this.#life.idle || now - (content.born ?? time) > this.#life.maxAge) return emptyContent;
    // A tenth of the time, so that the cookie is not set anew with every response.
    if (!isCurrent || unused > this.#life.idle / 10) this.#mustWrite = true;
    return content;
  }

  #cookieOf(content: SessionContent): Cookie {
    const { maxAge } = this.#life;
    const now = Time.timestamp();
    const born = maxAge === Infinity ? undefined : (content.born ?? now);
    const life = born === undefined ? undefined : born + maxAge - now;
    const cookie = writeCookie(this.#cookie, encodeContent({ ...content, born }), life);
    if (cookie === undefined) throw errors.E_SESSION_TOO_LARGE(cookieLimit);
    return cookie;
  }

  #removal(): Cookie | undefined {
    return this.#request.cookie(this.#cookie.name) === undefined ? undefined : removedCookie(this.#cookie);
  }
}

const privateHeaders = new HeaderList(["cache-control", "private, no-cache"]);

/** What was made from a session is for one person: no shared cache keeps it, and the browser asks before it is reused. */
function keepPrivate(response: Response): Response {
  return response.withDefaultHeaders(privateHeaders);
}
