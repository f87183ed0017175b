import type { ContextOptions, Result } from "../../core/index.ts";
import { Log } from "../../log/index.ts";
import { Time } from "../../time/index.ts";
import type { CreateOptions, PurposeOptions, StoredToken, TokenContent, TokenData } from "./contract.ts";
import { newContent } from "./new-token.ts";
import type { StoredOperations, Work } from "./operations.ts";
import type { TokenStore } from "./store.ts";
import { hashOf, isTokenText, newTokenText } from "./token-text.ts";

const log = Log.source("limmat.token");
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** What tokens do, wherever they are kept. */
export function storedTokens(store: TokenStore): Work<StoredOperations> {
  const find = async (token: string, options: PurposeOptions): Promise<StoredToken | undefined> =>
    isTokenText(token) ? store.find(hashOf(token), options.purpose, options) : undefined;

  const change = async (
    token: string,
    { purpose, ctx = [] }: PurposeOptions,
    step: { readonly from: StoredToken["status"]; readonly to: StoredToken["status"]; readonly validAt?: Date },
  ): Promise<boolean> => isTokenText(token) && store.change(hashOf(token), purpose, { ...step, ctx });

  const create = async (data: TokenData, options: CreateOptions): Promise<string> => {
    const token = newTokenText();
    const content = newContent(data, options);
    await store.insert({ ...content, status: "active", last_used_at: undefined }, hashOf(token), options);
    return token;
  };

  const read = async (token: string, options: PurposeOptions): Promise<TokenContent | undefined> => {
    const found = await find(token, options);
    if (!isValid(found)) return undefined;
    await noteUse(store, found, options);
    return contentOf(found);
  };

  const consumeOnce = async (token: string, options: PurposeOptions): Promise<TokenContent | undefined> => {
    // Read first: were it the other way round, a failure in between would end a token for nothing.
    const found = await find(token, options);
    if (!isValid(found)) return undefined;
    const step = { from: "active", to: "consumed", validAt: Time.now() } as const;
    return (await change(token, options, step)) ? contentOf(found) : undefined;
  };

  const consumeWith = <T, E>(
    token: string,
    options: PurposeOptions,
    work: (content: TokenContent) => Promise<Result<T, E>>,
  ): Promise<Result<T, E> | undefined> => {
    let isConsumed = false;
    return store.together(
      async () => {
        const content = await consumeOnce(token, options);
        isConsumed = content !== undefined;
        return content === undefined ? undefined : work(content);
      },
      async () => isConsumed && change(token, options, { from: "consumed", to: "active" }),
      options,
    );
  };

  return {
    create,
    read,
    consumeOnce,
    consumeWith,
    deactivate: (token, options) => change(token, options, { from: "active", to: "inactive" }),
    activate: (token, options) => change(token, options, { from: "inactive", to: "active" }),
    deactivateAll: (options) => store.endAll(options),
    deleteAll: (options) => store.deleteAll(options),
    isValid: async (token, options) => isValid(await find(token, options)),
    isActive: async (token, options) => (await find(token, options))?.status === "active",
    isExpired: async (token, options) => isExpired(await find(token, options)),
    purge: (options: ContextOptions = {}) => store.purge(Time.now(), options),
    list: (options) => store.list(options),
    deactivateById: async (id, options = {}) => uuid.test(id) && store.endById(id, options),
  };
}

function contentOf(token: StoredToken): TokenContent {
  const { id, purpose, owner, name, abilities, data, created_at, expires_at } = token;
  return { id, purpose, owner, name, abilities, data, created_at, expires_at };
}

function isExpired(token: StoredToken | undefined): boolean {
  return token !== undefined && token.expires_at.getTime() <= Time.timestamp();
}

function isValid(token: StoredToken | undefined): token is StoredToken {
  return token?.status === "active" && !isExpired(token);
}

/** Once a minute at most, so that a token that is read often is not written often. Who may come in does not hang on it. */
async function noteUse(store: TokenStore, { id, last_used_at }: StoredToken, options: ContextOptions): Promise<void> {
  const now = Time.now();
  if (last_used_at !== undefined && now.getTime() - last_used_at.getTime() < Time.minutes(1)) return;
  try {
    await store.touch(id, now, options);
  } catch (error) {
    log.warning("The use of a token could not be noted", { token: id, error });
  }
}
