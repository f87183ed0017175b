import { hash } from "node:crypto";
import type { ContextOptions, Service } from "../../../core/index.ts";
import { Log } from "../../../log/index.ts";
import { Random } from "../../../random/index.ts";
import { Time, TimeInternals } from "../../../time/index.ts";
import type { Audit } from "../../audit/contract.ts";
import type { PurposeOptions, StoredToken, StoredTokenService, TokenContent } from "../contract.ts";
import type { StatusChange, TokenStore } from "../store/contract.ts";
import { type ConsumeOnce, consumeOperation, type ConsumeWith } from "./consume.ts";
import { newTokenContent } from "./new-token.ts";
import { recordedOperations } from "./recorded-tokens.ts";

const log = Log.source("limmat.token");
const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export function storedTokenOperations(
  store: TokenStore,
  audit: Audit | undefined,
): Omit<StoredTokenService, keyof Service.Service> {
  const findRecord = async (token: string, options: PurposeOptions): Promise<StoredToken | undefined> =>
    isTokenText(token) ? store.findOpt(hashToken(token), options.purpose, options) : undefined;

  const changeStatus = async (
    token: string,
    { purpose, ctx = [] }: PurposeOptions,
    change: Omit<StatusChange, "ctx">,
  ): Promise<boolean> => isTokenText(token) && store.changeStatus(hashToken(token), purpose, { ...change, ctx });

  const consumeOnce: ConsumeOnce = async (token, options) => {
    // Reads before it writes: a failed read after the write would lose a consumed token.
    const record = await findRecord(token, options);
    if (!isValid(record)) return undefined;
    const change = { from: "active", to: "consumed", validAt: Time.now() } as const;
    return (await changeStatus(token, options, change)) ? contentOf(record) : undefined;
  };

  const consumeWith: ConsumeWith = (token, options, apply) => {
    let isConsumed = false;
    return store.transaction(
      async () => {
        const content = await consumeOnce(token, options);
        isConsumed = content !== undefined;
        return content === undefined ? undefined : apply(content);
      },
      async () => isConsumed && changeStatus(token, options, { from: "consumed", to: "active" }),
      options,
    );
  };

  const operations: Omit<StoredTokenService, keyof Service.Service> = {
    create: async (data, options) => {
      const token = newTokenText();
      const content = newTokenContent(data, options);
      await store.insert({ ...content, status: "active", last_used_at: undefined }, hashToken(token), options);
      return token;
    },
    read: async (token, options) => {
      const record = await findRecord(token, options);
      if (!isValid(record)) return undefined;
      await recordUse(store, record, options);
      return contentOf(record);
    },
    consume: consumeOperation(consumeOnce, consumeWith),
    deactivate: (token, options) => changeStatus(token, options, { from: "active", to: "inactive" }),
    activate: (token, options) => changeStatus(token, options, { from: "inactive", to: "active" }),
    deactivateAll: async (options) => void (await store.consumeAll(options)),
    deleteAll: async (options) => void (await store.deleteAll(options)),
    isValid: async (token, options) => isValid(await findRecord(token, options)),
    isActive: async (token, options) => (await findRecord(token, options))?.status === "active",
    isExpired: async (token, options) => isExpired(await findRecord(token, options)),
    purge: (options = {}) => store.purge(Time.now(), options),
    list: (options) => store.list(options),
    deactivateById: async (id, options = {}) => uuidPattern.test(id) && store.consumeById(id, options),
  };
  return recordedOperations(operations, { ...store, find: findRecord }, audit);
}

function contentOf(token: StoredToken): TokenContent {
  const { id, purpose, owner, name, abilities, data, created_at, expires_at } = token;
  return { id, purpose, owner, name, abilities, data, created_at, expires_at };
}

function isExpired(token: StoredToken | undefined): boolean {
  return token !== undefined && token.expires_at.getTime() <= TimeInternals.timestamp();
}

function isValid(token: StoredToken | undefined): token is StoredToken {
  return token?.status === "active" && !isExpired(token);
}

/** Updates `last_used_at` at most once a minute, to limit writes. A failure does not affect the request. */
async function recordUse(store: TokenStore, { id, last_used_at }: StoredToken, options: ContextOptions): Promise<void> {
  const now = Time.now();
  if (last_used_at !== undefined && now.getTime() - last_used_at.getTime() < Time.minutes(1)) return;
  try {
    await store.recordUse(id, now, options);
  } catch (error) {
    log.warning("The use of a token could not be recorded", { token: id, error });
  }
}

const tokenPrefix = "lmt_";
const tokenPattern = /^lmt_([\w-]{43})([\w-]{6})$/;

/**
 * Creates the text of a token: `lmt_`, 256 random bits in base64url (43 characters), and a checksum of six characters.
 * Scanners for leaked secrets find it by the prefix and verify it by the checksum.
 */
export function newTokenText(): string {
  const secret = Random.token();
  return `${tokenPrefix}${secret}${checksum(secret)}`;
}

/** Returns true if a text has the form of a token. Other texts need no query. */
export function isTokenText(text: string): boolean {
  const [, secret = "", suffix] = tokenPattern.exec(text) ?? [];
  return suffix === checksum(secret);
}

/** Hashes a token for storage. A fast hash suffices for 256 random bits (OWASP ASVS 6.5.2: slow ones below 112). */
export const hashToken = (text: string): string => hash("sha256", text, "base64url");

const checksum = (secret: string): string => hashToken(`${tokenPrefix}${secret}`).slice(0, 6);
