import { createHash, createHmac } from "node:crypto";
import { Configuration, ConfigurationInternals } from "../config/index.ts";
import { SecretInternals } from "../secret/index.ts";
import { errors } from "./errors.ts";
import { Json, mismatch } from "../database/index.ts";
import type { TableColumn } from "./columns.ts";

const encryptionPurpose = "encrypted column";
const blindIndexPurpose = "blind index";

/** Version of the format: `1.<id of the key>.<nonce, tag and ciphertext in base64url>`. */
const formatVersion = "1";

/** Returns the values of the `storedNames` of an encrypted column: the ciphertext, and its blind index if it has one. */
export function encryptValue(table: string, column: TableColumn, encoded: unknown, id: string): readonly unknown[] {
  if (encoded === null) return column.storedNames.map(() => null);
  const text = plaintext(encoded);
  const stored = encrypt(text, context(table, column.name, id));
  if (column.encryption?.blindIndex === undefined) return [stored];
  return [stored, blindIndex(table, column.name, text, blindIndexKeys().current)];
}

/** Returns the blind indexes of a value under all keys, so that rows are found after a rotation. */
export function blindIndexes(table: string, column: TableColumn, encoded: unknown): readonly string[] {
  return blindIndexKeys().all.map((key) => blindIndex(table, column.name, plaintext(encoded), key));
}

/**
 * Decrypts the stored value of a column and reads it by the column's type. Throws E_TABLE_DECRYPT if the text was changed,
 * belongs to another row or column, or its key is not configured.
 */
export function decryptValue(table: string, column: TableColumn, stored: unknown, id: string): unknown {
  const { type, storage, name } = column;
  if (stored === null || stored === undefined) return type.read(null);
  const text = decrypt(stored as string, context(table, name, id));
  if (text === undefined) throw errors.E_TABLE_DECRYPT(table, name);
  const raw = storage.type === "bool" ? text === "true" : storage.type === "float" ? Number(text) : text;
  const value = type.read(raw);
  if (value === mismatch) throw errors.E_TABLE_DECRYPT(table, name);
  return value;
}

/** Returns the beginning of the values that are encrypted with the current key. */
export const currentPrefix = (): string => encryptionKeys().prefix;

/** Returns true if a stored value was encrypted with the current key. */
export const isCurrent = (stored: string): boolean => stored.startsWith(currentPrefix());

// Identifiers of the keys are computed once: a hash for each value takes 0.9 µs, a tenth of its encryption.
const encryptionKeys = ConfigurationInternals.memoize(() => {
  const { current, all } = Configuration.secretKeys(encryptionPurpose);
  const byId: ReadonlyMap<string, Buffer> = new Map(all.map((key) => [keyId(key), key]));
  return { current, prefix: `${formatVersion}.${keyId(current)}.`, byId };
});

const blindIndexKeys = (): Configuration.SecretKeys => Configuration.secretKeys(blindIndexPurpose);

function plaintext(encoded: unknown): string {
  if (encoded instanceof Json) return encoded.text;
  return encoded instanceof Date ? encoded.toISOString() : String(encoded);
}

/** Additional authenticated data: a ciphertext is valid only in its row and column. */
const context = (table: string, column: string, id: string): Buffer => Buffer.from(`${table}\n${column}\n${id}`);

/** Returns a short identifier of a key, which reveals nothing about it. */
const keyId = (key: Buffer): string =>
  createHash("sha256").update("key id").update(key).digest("base64url").slice(0, 6);

function encrypt(text: string, associated: Buffer): string {
  const { current, prefix } = encryptionKeys();
  return prefix + SecretInternals.encrypt(current, text, associated);
}

function decrypt(stored: string, associated: Buffer): string | undefined {
  const [version, id = "", encrypted = ""] = stored.split(".");
  const key = encryptionKeys().byId.get(id);
  if (version !== formatVersion || key === undefined) return undefined;
  return SecretInternals.decrypt(key, encrypted, associated)?.toString();
}

const blindIndex = (table: string, column: string, text: string, key: Buffer): string =>
  createHmac("sha256", key)
    .update(JSON.stringify([table, column, text]))
    .digest("base64url");
