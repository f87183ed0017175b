/** What a hash costs. */
export interface Cost {
  /** In KiB. */
  readonly memory: number;
  readonly passes: number;
  /** How many lanes are computed side by side. */
  readonly parallelism: number;
}

/** A hash with all that is needed to compute it again. */
export interface PasswordHash extends Cost {
  readonly salt: Buffer;
  readonly hash: Buffer;
}

const form = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})\$([\w+/-]{11,86})\$([\w+/-]{22,86})$/;
const mostMemory = 1_048_576;

/** The PHC string of a hash: `$argon2id$v=19$m=19456,t=2,p=1$salt$hash`, in base64 without padding. */
export function encodePhc({ memory, passes, parallelism, salt, hash }: PasswordHash): string {
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(salt)}$${base64(hash)}`;
}

/** The hash of a PHC string; `undefined` for anything but argon2id of version 19 with parameters that can be meant. */
export function decodePhc(text: string): PasswordHash | undefined {
  const parts = form.exec(text);
  if (parts === null) return undefined;
  const [memory = 0, passes = 0, parallelism = 0] = parts.slice(1, 4).map(Number);
  const [salt, hash] = parts.slice(4).map((part) => Buffer.from(part, "base64"));
  if (salt === undefined || hash === undefined || memory > mostMemory) return undefined;
  // RFC 9106 §3.1: at least eight blocks per lane.
  if (passes < 1 || parallelism < 1 || memory < 8 * parallelism) return undefined;
  return { memory, passes, parallelism, salt, hash };
}

const base64 = (bytes: Buffer): string => bytes.toString("base64").replace(/=+$/, "");
