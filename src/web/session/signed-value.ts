import { createHmac, timingSafeEqual } from "node:crypto";

/** The keys of one purpose: the one that signs, and all that still verify, the signing one first. */
export interface SigningKeys {
  readonly current: Buffer;
  readonly all: readonly Buffer[];
}

/** Where a signed value belongs. A value signed for one place is refused in every other. */
export interface SigningPlace {
  /** What the value is for: `session`. */
  readonly purpose: string;
  /** The cookie that carries it: `__Host-_session`. */
  readonly name: string;
}

/** What a signed value holds once its signature was found right. */
export interface VerifiedValue {
  readonly value: string;
  /** When it was signed, in milliseconds since 1970. */
  readonly time: number;
  /** False when an old key signed it, so that it should be signed again. */
  readonly isCurrent: boolean;
}

const form = /^([\w-]*)\.([0-9a-z]{1,11})\.([\w-]{43})$/;

/**
 * Signs a text, so that a client can read it and cannot change it.
 *
 * The result is `value.time.mac`: base64url, base 36 and base64url, 53 characters longer than the encoded value. The
 * HMAC-SHA256 (RFC 2104) covers the place, the time and the value as they are written, so a changed character is
 * always another text and never another spelling of the same one.
 *
 * @param time when it is signed, in milliseconds since 1970
 */
export function sign(value: string, place: SigningPlace, keys: SigningKeys, time: number): string {
  const signed = `${Buffer.from(value).toString("base64url")}.${time.toString(36)}`;
  return `${signed}.${mac(signed, place, keys.current)}`;
}

/** The value of a signed text, or `undefined` for every text that `sign` did not make for this place. Never throws. */
export function verify(text: string, place: SigningPlace, keys: SigningKeys): VerifiedValue | undefined {
  const parts = form.exec(text);
  if (parts === null) return undefined;
  const [, value = "", time = "", given = ""] = parts;
  const key = keys.all.find((candidate) => isSame(given, mac(`${value}.${time}`, place, candidate)));
  if (key === undefined) return undefined;
  return {
    value: Buffer.from(value, "base64url").toString(),
    time: Number.parseInt(time, 36),
    isCurrent: key.equals(keys.current),
  };
}

function mac(signed: string, place: SigningPlace, key: Buffer): string {
  return createHmac("sha256", key).update(`${place.purpose}\n${place.name}\n${signed}`).digest("base64url");
}

/** Compares in constant time. Both are 43 ASCII characters, which `form` has made sure of. */
function isSame(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(a, "latin1"), Buffer.from(b, "latin1"));
}
