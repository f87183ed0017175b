import { Configuration } from "../../../../config/index.ts";
import { constantTimeEqual, RandomInternals } from "../../../../random/index.ts";
import { Time, TimeInternals } from "../../../../time/index.ts";
import type { TokenContent, TokenData } from "../../contract.ts";

/** Claims of a JWT that this service issued. */
export interface JwtClaims {
  readonly content: TokenContent;
  /** Generations of the owner's tokens at creation, for the purpose and for all purposes: see `Revocation`. */
  readonly generations: readonly [ofPurpose: number, ofAll: number];
}

// RFC 8725 §3.1: one algorithm, and the header is compared, never trusted. HS256 requires a key of 256 bits (RFC 7518
// §3.2), which HKDF with SHA-256 returns.
const jwtHeader = encode({ alg: "HS256", typ: "JWT" });
const jwtPattern = /^([\w-]{1,100})\.([\w-]{1,12000})\.([\w-]{43})$/;
const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Tolerated difference between the clocks of two machines. */
const clockSkewMs = Time.seconds(30);

/** Creates a JWT (RFC 7519), signed with the key of its purpose. Its times are whole seconds. */
export function signJwt({ content, generations }: JwtClaims): string {
  const { id, purpose, owner, name, abilities, data, created_at, expires_at } = content;
  const issuedAt = Math.floor(created_at.getTime() / 1000);
  const claims = encode({
    aud: purpose,
    sub: owner,
    jti: id,
    iat: issuedAt,
    nbf: issuedAt,
    exp: Math.ceil(expires_at.getTime() / 1000),
    scope: abilities.length === 0 ? undefined : abilities.join(" "),
    name,
    gen: owner === undefined ? undefined : generations,
    data,
  });
  const signed = `${jwtHeader}.${claims}`;
  return `${signed}.${RandomInternals.hmacSha256(signingKeys(purpose).current, signed)}`;
}

/** Verifies a JWT of this purpose by the current or a former secret. Returns its claims, even if it has expired. */
export function verifyJwt(text: string, purpose: string): JwtClaims | undefined {
  const [, header = "", claims = "", signature = ""] = jwtPattern.exec(text) ?? [];
  if (header !== jwtHeader) return undefined;
  const isSigned = signingKeys(purpose).all.some((key) =>
    constantTimeEqual(signature, RandomInternals.hmacSha256(key, `${header}.${claims}`)),
  );
  return isSigned ? parseClaims(claims, purpose) : undefined;
}

export function isWithinValidity({ created_at, expires_at }: TokenContent): boolean {
  const now = TimeInternals.timestamp();
  return created_at.getTime() <= now + clockSkewMs && now < expires_at.getTime();
}

const signingKeys = (purpose: string): Configuration.SecretKeys => Configuration.secretKeys(`jwt ${purpose}`);

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

/** Parses and validates claims. A valid signature is not enough, because the secret may have leaked or be shared. */
function parseClaims(encoded: string, purpose: string): JwtClaims | undefined {
  const { aud, sub, jti, iat, nbf, exp, scope, name, gen = noGenerations, data } = parseRecord(encoded);
  if (aud !== purpose || typeof jti !== "string" || !uuidPattern.test(jti)) return undefined;
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

function parseRecord(encoded: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(Buffer.from(encoded, "base64url").toString());
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

// JavaScript dates end in the year 275,760.
const isTime = (value: unknown): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 && value <= 8_640_000_000_000;

/** Generations of a token without an owner. */
export const noGenerations: JwtClaims["generations"] = [0, 0];

const isGenerations = (value: unknown): value is JwtClaims["generations"] =>
  Array.isArray(value) && value.length === 2 && value.every(isTime);

const isOptionalText = (value: unknown): value is string | undefined =>
  value === undefined || typeof value === "string";
