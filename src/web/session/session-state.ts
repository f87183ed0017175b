import { TimeInternals } from "../../time/index.ts";
import { type Cookie, HeaderList, Key, type Request, type Response } from "../../http/message/index.ts";
import { errors } from "../errors.ts";
import { readSession } from "./session-cache.ts";
import { emptyContent, encodeContent, isEmpty, type SessionContent } from "./session-content.ts";
import { maxCookieBytes, expiredCookie, type SignedCookie, writeCookie } from "./signed-cookie.ts";
import type { StoredSession } from "./stored-session.ts";

/** Lifetime of sessions, in milliseconds; `Infinity` if time does not end them. */
export interface SessionLifetime {
  /** Maximum time since the start of the session. */
  readonly maxAgeMs: number;
  /** Maximum time since the last use. */
  readonly idleTimeoutMs: number;
  /** True if the browser keeps the cookie when it closes. */
  readonly outlivesBrowser: boolean;
}

/** Change of the session by a response. */
export interface SessionChange {
  /** Keys of the application whose values stay. Default: all. */
  readonly kept?: readonly string[];
  /** New values of the application, `undefined` for a key to remove. */
  readonly values?: ReadonlyMap<string, string | undefined>;
  /** New values of the framework, which start a new session. */
  readonly reserved?: ReadonlyMap<string, string | undefined>;
  /** True if the new session is as old as the previous one. */
  readonly keepsAge?: boolean;
}

/** Key under which a response carries its session change to the middleware. */
export const sessionChange: Key<SessionChange | undefined> = new Key("session change");

const sessionState: Key<SessionState> = new Key("session");

/** Session of one request: read on first access, written with the response. */
export class SessionState {
  readonly #request: Request;
  readonly #cookie: SignedCookie;
  readonly #lifetime: SessionLifetime;
  readonly #stored: StoredSession | undefined;
  #content: SessionContent | undefined;
  #mustWrite = false;

  /**
   * Creates the session state of a request, and attaches it to the request.
   *
   * @param stored session whose content is in a store; `undefined` for one in the cookie
   */
  constructor(request: Request, cookie: SignedCookie, life: SessionLifetime, stored?: StoredSession) {
    this.#request = request;
    this.#cookie = cookie;
    this.#lifetime = life;
    this.#stored = stored;
    request.set(sessionState, this);
  }

  /** Returns true if a session middleware runs for a request. */
  static has(request: Request): boolean {
    return request.get(sessionState) !== undefined;
  }

  /** Returns the session state of a request. @throws E_SESSION_MISSING if no session middleware runs for it */
  static of(request: Request): SessionState {
    const state = request.get(sessionState);
    if (state === undefined) throw errors.E_SESSION_MISSING();
    return state;
  }

  /**
   * Finds a value of the framework in the session of a request, maybe of an ended one. It does not count as a use of the session:
   * the response stays as cacheable as it is.
   */
  static peek(key: string, request: Request): string | undefined {
    const state = request.get(sessionState);
    if (state === undefined) return undefined;
    const session = state.#stored === undefined ? readSession(state.#cookie, request.cookies) : state.#stored.session;
    return session?.content.reserved.get(key);
  }

  /** Content of the session. */
  get content(): SessionContent {
    return (this.#content ??= this.#read());
  }

  /** Stores a value of the framework in the session, from this response on. */
  reserve(key: string, value: string): void {
    this.#content = { ...this.content, reserved: new Map(this.content.reserved).set(key, value) };
    this.#mustWrite = true;
  }

  /** Adds the session cookie to a response if the session has changed. @throws E_SESSION_TOO_LARGE */
  write(response: Response): Response {
    const change = response.get(sessionChange);
    if (change === undefined && !this.#mustWrite)
      return this.#content === undefined ? response : response.withDefaultHeaders(privateHeaders);
    const content = change === undefined ? this.content : changeContent(this.content, change);
    const handledResponse = response.withValue(sessionChange, undefined);
    const cookie = isEmpty(content)
      ? this.#expiredCookie()
      : this.#sessionCookie(content, change?.reserved !== undefined);
    if (cookie === undefined) return handledResponse;
    return handledResponse.withCookie(cookie).withHeader("cache-control", "no-store");
  }

  #read(): SessionContent {
    const storedSession =
      this.#stored === undefined ? readSession(this.#cookie, this.#request.cookies) : this.#stored.session;
    if (storedSession === undefined) return emptyContent;
    const { content, signedAtMs, isCurrent } = storedSession;
    const nowMs = TimeInternals.timestamp();
    const idleMs = nowMs - signedAtMs;
    if (
      idleMs > this.#lifetime.idleTimeoutMs ||
      nowMs - (content.createdAtMs ?? signedAtMs) > this.#lifetime.maxAgeMs
    ) {
      this.#stored?.remove();
      return emptyContent;
    }
    // Renewed after a tenth of the timeout, so that not every response sets the cookie.
    if (!isCurrent || idleMs > this.#lifetime.idleTimeoutMs / 10) this.#mustWrite = true;
    return content;
  }

  #sessionCookie(content: SessionContent, isNew: boolean): Cookie {
    const { maxAgeMs, idleTimeoutMs, outlivesBrowser } = this.#lifetime;
    const nowMs = TimeInternals.timestamp();
    const createdAtMs = maxAgeMs === Infinity ? undefined : (content.createdAtMs ?? nowMs);
    const remainingMs = outlivesBrowser && createdAtMs !== undefined ? createdAtMs + maxAgeMs - nowMs : undefined;
    const changed = { ...content, createdAtMs };
    const expiresInMs = Math.min((createdAtMs ?? nowMs) + maxAgeMs - nowMs, idleTimeoutMs);
    const text = this.#stored?.write(changed, { isNew, expiresInMs }) ?? encodeContent(changed);
    const cookie = writeCookie(this.#cookie, text, remainingMs);
    if (cookie === undefined) throw errors.E_SESSION_TOO_LARGE(maxCookieBytes);
    return cookie;
  }

  #expiredCookie(): Cookie | undefined {
    this.#stored?.remove();
    return this.#request.cookie(this.#cookie.name) === undefined ? undefined : expiredCookie(this.#cookie);
  }
}

function changeContent(
  content: SessionContent,
  { kept, values, reserved, keepsAge = false }: SessionChange,
): SessionContent {
  const keptValues = [...content.values].filter(([key]) => kept?.includes(key) ?? true);
  return {
    values: withoutRemoved([...keptValues, ...(values ?? [])]),
    reserved: withoutRemoved(reserved ?? content.reserved),
    createdAtMs: reserved === undefined || keepsAge ? content.createdAtMs : undefined,
  };
}

function withoutRemoved(pairs: Iterable<readonly [string, string | undefined]>): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const [key, value] of pairs) {
    if (value === undefined) values.delete(key);
    else values.set(key, value);
  }
  return values;
}

/** Keeps a page that depends on a session out of shared caches, and makes browsers revalidate it. */
const privateHeaders = new HeaderList(["cache-control", "private, no-cache"]);
