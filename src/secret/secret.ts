import { Configuration } from "../config/index.ts";
import { TimeInternals } from "../time/index.ts";
import { decrypt, encrypt } from "./aead.ts";
import { errors } from "./errors.ts";

/** Options of `Secret.open`. */
export interface PurposeOptions {
  /** Fixed name of the use, such as `unsubscribe`. Each purpose has a key of its own. Never a value of a visitor. */
  readonly purpose: string;
}

/** Options of `Secret.seal`. */
export interface SealOptions extends PurposeOptions {
  /** Time until the text can no longer be opened, in milliseconds. Default none: it never expires. */
  readonly expiresMs?: number;
}

const maxTextBytes = 2 ** 20;
/** The version of the format is the beginning of a sealed text. */
const prefix = "1.";
/** The plaintext begins with its expiry: milliseconds since 1970 in 6 bytes, big-endian. */
const expiryBytes = 6;
const never = 2 ** 48 - 1;
const maxSealedLength = prefix.length + Math.ceil(((12 + 16 + expiryBytes + maxTextBytes) * 4) / 3);

/**
 * Encrypts a text, which nobody else can then read or change, by AES-256-GCM (NIST SP 800-38D). The key is derived from
 * `FRAMEWORK_SECRET` for the purpose. The result is safe in URLs, headers and cookies: 48 characters, and four for three bytes
 * of the text. Its length reveals the length of the text. It can be opened any number of times.
 *
 * @throws E_SECRET_TEXT for more than 1 MiB or an unpaired surrogate, E_SECRET_PURPOSE, E_SECRET_EXPIRY
 *
 * @example
 * const sealed = Secret.seal("ada@example.com", { purpose: "unsubscribe", expiresMs: Time.days(30) });
 * Secret.open(sealed, { purpose: "unsubscribe" }); // "ada@example.com"
 */
export function seal(text: string, options: SealOptions): string {
  const { current } = keysOf(options);
  if (!text.isWellFormed()) throw errors.E_SECRET_TEXT("has an unpaired surrogate");
  const bytes = Buffer.byteLength(text);
  if (bytes > maxTextBytes) throw errors.E_SECRET_TEXT(`has ${bytes} bytes`);
  const content = Buffer.alloc(expiryBytes + bytes);
  content.writeUIntBE(expiryOf(options.expiresMs), 0, expiryBytes);
  content.write(text, expiryBytes, "utf8");
  return prefix + encrypt(current, content);
}

/**
 * Decrypts a text that `Secret.seal` encrypted for the same purpose, with the current secret or one of
 * `FRAMEWORK_SECRET_OLD`. Returns `undefined` for everything else: missing, forged, expired or of another purpose.
 *
 * @throws E_SECRET_PURPOSE
 */
export function open(sealed: string | undefined, options: PurposeOptions): string | undefined {
  const { all } = keysOf(options);
  if (sealed === undefined || sealed.length > maxSealedLength || !sealed.startsWith(prefix)) return undefined;
  const encrypted = sealed.slice(prefix.length);
  // Node skips characters that are no base64url, and unused bits of the last one: only one spelling is valid.
  if (Buffer.from(encrypted, "base64url").toString("base64url") !== encrypted) return undefined;
  for (const key of all) {
    const content = decrypt(key, encrypted);
    if (content === undefined) continue;
    const expiry = content.readUIntBE(0, expiryBytes);
    return expiry === never || TimeInternals.timestamp() < expiry ? content.toString("utf8", expiryBytes) : undefined;
  }
  return undefined;
}

function keysOf({ purpose }: PurposeOptions): Configuration.SecretKeys {
  const isValid = purpose.length >= 1 && purpose.length <= 200 && purpose.isWellFormed();
  if (!isValid) throw errors.E_SECRET_PURPOSE();
  // Purposes of the framework, such as `session`, have no such prefix: no application can use their keys.
  return Configuration.secretKeys(`sealed text\n${purpose}`);
}

function expiryOf(expiresMs: number | undefined): number {
  if (expiresMs === undefined) return never;
  const expiry = TimeInternals.timestamp() + Math.ceil(expiresMs);
  if (!(expiresMs > 0 && expiry < never)) throw errors.E_SECRET_EXPIRY(expiresMs);
  return expiry;
}
