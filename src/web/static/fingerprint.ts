import { createHash, hash } from "node:crypto";
import { createReadStream, readFileSync, statSync } from "node:fs";
import { pipeline } from "node:stream/promises";
import { BoundedMap } from "../../core/index.ts";

// The names of bundlers: eight or more hexadecimal digits, both letters and digits, after a dot or dash.
// In the folder of the command `assets`, also the names of esbuild: eight characters of base 32.
const fingerprintPattern =
  /[.-](?=[0-9a-f]*[0-9])(?=[0-9]*[a-f])[0-9a-f]{8,}\.[^/]+$|(?:^|\/)built\/[^/]+-[A-Z2-7]{8}\.[^/]+$/;
const maxEntries = 1000;

/** Fingerprints by path, valid until size or modification time changes. */
const fingerprintCache = new BoundedMap<string, { readonly version: string; readonly fingerprint: string }>(maxEntries);

/** Returns true if a file name contains a fingerprint of its content: `app-3f2a9c1b.css`. */
export const isNameFingerprinted = (path: string): boolean => fingerprintPattern.test(path);

/** Returns the fingerprint of a file: 12 characters of its SHA-256. Reads the file only if it has changed. Throws errors of `node:fs`. */
export function fingerprintSync(path: string): string {
  const version = versionOf(path);
  return (
    cachedFingerprint(path, version) ?? cacheFingerprint(path, version, hash("sha256", readFileSync(path), "base64url"))
  );
}

/** Returns the fingerprint of a file like `fingerprintSync`, without blocking the event loop. */
export async function fingerprint(path: string): Promise<string> {
  const version = versionOf(path);
  const cachedValue = cachedFingerprint(path, version);
  if (cachedValue !== undefined) return cachedValue;
  const sum = createHash("sha256");
  await pipeline(createReadStream(path), sum);
  return cacheFingerprint(path, version, sum.digest("base64url"));
}

function versionOf(path: string): string {
  const { size, mtimeNs } = statSync(path, { bigint: true });
  return `${size}-${mtimeNs}`;
}

function cachedFingerprint(path: string, version: string): string | undefined {
  const entry = fingerprintCache.get(path);
  return entry?.version === version ? entry.fingerprint : undefined;
}

function cacheFingerprint(path: string, version: string, digest: string): string {
  const value = digest.slice(0, 12);
  fingerprintCache.set(path, { version, fingerprint: value });
  return value;
}
