import { createHmac, timingSafeEqual } from "node:crypto";
import { Configuration } from "../../../config/index.ts";
import { Time } from "../../../time/index.ts";
import type { TokenContent, TokenData } from "../contract.ts";

/** What a JWT of ours says. */
export interface Claims {
  readonly content: TokenContent;
  /** The generations of its owner's tokens, of its purpose and of all, when it was made: see `Revocation`. */
  readonly generations: readonly [ofPurpose: number, ofAll: number];
}

// RFC 8725 §3.1: one algorithm, and the header is compared, never believed. A key of 256 bits is what HS256 asks for
// (RFC 7518 §3.2), and what HKDF with SHA-256 gives.
const header = encode({ alg: "HS256", typ: "JWT" });
const form = /^([\w-]{1,100})\.([\w-]{1,12000})\.([\w-]{43})$/;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** How far the clocks of two machines may be apart. */
const skew = Time.seconds(30);

/** Writes a JWT (RFC 7519), signed with the key of its purpose. Its times are whole seconds. */
export function write({ content, generations }: Claims): string {
  const { id, purpose, owner, name, abilities, data, created_at, expires_at } = content;
  const issued = Math.floor(created_at.getTime() / 1000);
  const claims = encode({
    aud: purpose,
    sub: owner,
    jti: id,
    iat: issued,
    nbf: issued,
    exp: Math.ceil(expires_at.getTime() / 1000),
    scope: abilities.length === 0 ? undefined : abilities.join(" "),
    name,
    gen: owner === undefined ? undefined : generations,
    data,
  });
  const signed = `${header}.${claims}`;
  return `${signed}.${mac(signed, keysOf(purpose).current)}`;
}

/**
 * What a JWT says, if `write` made it for this purpose, with the present secret or a former one; expired ones included.
 * Never throws.
 */
export function readSigned(text: string, purpose: string): Claims | undefined {
  const [, head = "", claims = "", signature = ""] = form.exec(text) ?? [];
  if (head !== header) return undefined;
  const isSigned = keysOf(purpose).all.some((key) => isSame(signature, mac(`${head}.${claims}`, key)));
  return isSigned ? claimsOf(claims, purpose) : undefined;
}

/** Whether its time has come and is not over. */
export function isInTime({ created_at, expires_at }: TokenContent): boolean {
  const now = Time.timestamp();
  return created_at.getTime() <= now + skew && now < expires_at.getTime();
}

const keysOf = (purpose: string): Configuration.Secret.SecretKeys => Configuration.Secret.secretKeys(`jwt ${purpose}`);

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function mac(signed: string, key: Buffer): string {
  return createHmac("sha256", key).update(signed).digest("base64url");
}

/** Compares in constant time. Both are 43 ASCII characters, which `form` has made sure of. */
function isSame(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(a, "latin1"), Buffer.from(b, "latin1"));
}

/** The claims as `write` writes them. What is signed is ours, but others may hold the secret: nothing is taken on trust. */
function claimsOf(encoded: string, purpose: string): Claims | undefined {
  const given = parse(encoded);
  const { aud, sub, jti, iat, nbf, exp, scope, name, gen = noGenerations, data } = given;
  if (aud !== purpose || typeof jti !== "string" || !uuid.test(jti)) return undefined;
  if (!isTime(iat) || !isTime(nbf) || !isTime(exp) || !isGenerations(gen) || !isRecord(data)) return undefined;
  if (!isOptionalText(sub) || !isOptionalText(name) || !isOptionalText(scope)) return undefined;
  const content: TokenContent = {
    id: jti,
    purpose,
    owner: sub,
    name,
    abilities: scope === undefined ? [] : scope.split(" "),
    data: data as TokenData,
    created_at: new Date(Math.max(iat, nbf) * 1000),
    expires_at: new Date(exp * 1000),
  };
  return { content, generations: gen };
}

function parse(encoded: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(Buffer.from(encoded, "base64url").toString());
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

// Past the year 275,760 there are no dates.
const isTime = (value: unknown): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 && value <= 8_640_000_000_000;

/** Those of a token without an owner. */
export const noGenerations: Claims["generations"] = [0, 0];

const isGenerations = (value: unknown): value is Claims["generations"] =>
  Array.isArray(value) && value.length === 2 && value.every(isTime);

const isOptionalText = (value: unknown): value is string | undefined =>
  value === undefined || typeof value === "string";
