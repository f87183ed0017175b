import { RandomInternals } from "../../random/index.ts";
import type { Result } from "../../core/index.ts";
import type { Request } from "../../http/message/index.ts";
import { errors } from "../errors.ts";
import type { VerifiedSession } from "./session-cache.ts";
import { decodeContent, encodeContent, type SessionContent } from "./session-content.ts";
import { readCookie, type SignedCookie } from "./signed-cookie.ts";

/** Store of sessions. Every `Cache` of limmat is one. */
export interface SessionStore {
  /** Returns the text of a key; `undefined` for one that is missing or expired. */
  readonly findOpt: (key: string) => Promise<string | undefined>;
  /** Stores a text; `undefined` removes it. */
  readonly set: (key: string, text: string | undefined, options?: { readonly expiresInMs?: number }) => Promise<void>;
  /** Runs a task while no other process runs one with this key. */
  readonly lock: <T>(
    key: string,
    options: { readonly waitMs: number },
    task: () => Promise<T>,
  ) => Promise<Result<T, "locked">>;
}

/** Session whose content is in a store. Its cookie holds a random id. */
export class StoredSession {
  /** Session as the store has it; `undefined` without one. */
  readonly session: VerifiedSession | undefined;
  readonly #store: SessionStore;
  #id: string | undefined;
  readonly #writes: (() => Promise<void>)[] = [];

  private constructor(store: SessionStore, id: string | undefined, session: VerifiedSession | undefined) {
    this.#store = store;
    this.#id = session === undefined ? undefined : id;
    this.session = session;
  }

  /**
   * Calls a function with the session of a request, and stores its changes when the function has returned.
   *
   * @param lockWaitMs time to wait for another request of the session, in milliseconds; `undefined` does not wait
   * @throws E_SESSION_LOCKED if that request takes longer
   */
  static async use<T>(
    { store, cookie, lockWaitMs }: { store: SessionStore; cookie: SignedCookie; lockWaitMs: number | undefined },
    request: Request,
    run: (session: StoredSession) => T | Promise<T>,
  ): Promise<T> {
    const verified = readCookie(cookie, request.cookies);
    // A cookie of a time without the store holds content, which is not an id.
    const [id] = idPattern.exec(verified?.value ?? "") ?? [];
    const useNow = async (): Promise<T> => {
      const text = id === undefined ? undefined : await store.findOpt(storeKeyOf(id));
      const content = text === undefined ? undefined : decodeContent(text);
      const session = new StoredSession(store, id, content && verified && { ...verified, content });
      const result = await run(session);
      for (const write of session.#writes) await write();
      return result;
    };
    if (id === undefined || lockWaitMs === undefined) return await useNow();
    const locked = await store.lock(storeKeyOf(id), { waitMs: lockWaitMs }, useNow);
    if (!locked.ok) throw errors.E_SESSION_LOCKED(lockWaitMs);
    return locked.value;
  }

  /** Replaces the content, under a new id for a new session (session fixation). Returns the id. */
  write(content: SessionContent, { isNew, expiresInMs }: { isNew: boolean; expiresInMs: number }): string {
    if (isNew) this.remove();
    const storedId = this.#id;
    const id = (this.#id ??= RandomInternals.base64url(24));
    const options = Number.isFinite(expiresInMs) ? { expiresInMs: Math.max(1, expiresInMs) } : {};
    this.#writes.push(async () => {
      // The session may have ended while the handler ran: by its age, or by another request such as a logout.
      if (storedId !== undefined && (await this.#store.findOpt(storeKeyOf(id))) === undefined) return;
      await this.#store.set(storeKeyOf(id), encodeContent(content), options);
    });
    return id;
  }

  /** Removes the content. A later one gets a new id, so that no copy of the cookie has it. */
  remove(): void {
    const id = this.#id;
    if (id !== undefined) this.#writes.push(() => this.#store.set(storeKeyOf(id), undefined));
    this.#id = undefined;
  }
}

const idPattern = /^[\w-]{32}$/;
const storeKeyOf = (id: string): string => `session:${id}`;
