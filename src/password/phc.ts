/** Cost parameters of argon2id. */
export interface Argon2Cost {
  /** Memory, in KiB. */
  readonly memoryKiB: number;
  readonly passes: number;
  /** Number of lanes. */
  readonly parallelism: number;
}

/** Hash with the salt and the parameters that computed it. */
export interface PasswordHash extends Argon2Cost {
  readonly salt: Buffer;
  readonly hash: Buffer;
}

const phcPattern = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})\$([\w+/-]{11,86})\$([\w+/-]{22,86})$/;
const maxMemoryKiB = 1_048_576;

/** Encodes a hash as a PHC string, `$argon2id$v=19$m=19456,t=2,p=1$salt$hash`, in base64 without padding. */
export function encodePhc({ memoryKiB, passes, parallelism, salt, hash }: PasswordHash): string {
  return `$argon2id$v=19$m=${memoryKiB},t=${passes},p=${parallelism}$${base64(salt)}$${base64(hash)}`;
}

/** Decodes a PHC string. Returns `undefined` unless it is argon2id of version 19 with valid parameters. */
export function decodePhc(text: string): PasswordHash | undefined {
  const match = phcPattern.exec(text);
  if (match === null) return undefined;
  const [memoryKiB = 0, passes = 0, parallelism = 0] = match.slice(1, 4).map(Number);
  const [salt, hash] = match.slice(4).map((part) => Buffer.from(part, "base64"));
  if (salt === undefined || hash === undefined || memoryKiB > maxMemoryKiB) return undefined;
  // RFC 9106 §3.1: at least eight blocks per lane.
  if (passes < 1 || parallelism < 1 || memoryKiB < 8 * parallelism) return undefined;
  return { memoryKiB, passes, parallelism, salt, hash };
}

const base64 = (bytes: Buffer): string => bytes.toString("base64").replace(/=+$/, "");
