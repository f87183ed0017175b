import { createHash, hash } from "node:crypto";
import { createReadStream, readFileSync, statSync } from "node:fs";
import { pipeline } from "node:stream/promises";

// Eight or more hexadecimal digits, letters and numbers among them, after a dot or a dash: what bundlers put into names.
const inName = /[.-](?=[0-9a-f]*[0-9])(?=[0-9]*[a-f])[0-9a-f]{8,}\.[^/]+$/;
const mostEntries = 1000;

/** The fingerprints of files that were read, by path: valid as long as size and date stay. */
const known = new Map<string, { readonly version: string; readonly fingerprint: string }>();

/** Whether the name of a file holds a fingerprint, so that another content would have another name: `app-3f2a9c1b.css`. */
export function isNameFingerprinted(path: string): boolean {
  return inName.test(path);
}

/** The fingerprint of a file, 12 characters of its SHA-256. Reads it only if it has changed. Throws what `node:fs` throws. */
export function fingerprintSync(path: string): string {
  const version = versionOf(path);
  return find(path, version) ?? keep(path, version, shorten(hash("sha256", readFileSync(path), "base64url")));
}

/** As `fingerprintSync`; others have their turn while it reads. */
export async function fingerprint(path: string): Promise<string> {
  const version = versionOf(path);
  const found = find(path, version);
  if (found !== undefined) return found;
  const sum = createHash("sha256");
  await pipeline(createReadStream(path), sum);
  return keep(path, version, shorten(sum.digest("base64url")));
}

function versionOf(path: string): string {
  const { size, mtimeNs } = statSync(path, { bigint: true });
  return `${size}-${mtimeNs}`;
}

function find(path: string, version: string): string | undefined {
  const entry = known.get(path);
  return entry?.version === version ? entry.fingerprint : undefined;
}

function keep(path: string, version: string, value: string): string {
  if (known.size >= mostEntries) known.clear();
  known.set(path, { version, fingerprint: value });
  return value;
}

function shorten(digest: string): string {
  return digest.slice(0, 12);
}
