import { realpathSync } from "node:fs";
import { join } from "node:path";
import { Time } from "../../time/index.ts";
import { errors } from "../errors.ts";
import { configuredPrefix } from "../application/configuration.ts";
import { encodePath } from "../../http/message/index.ts";
import { publicDirectory, publicPrefix } from "./configuration.ts";
import { fingerprintSync } from "./fingerprint.ts";

/**
 * Returns the URL path of a static file with its fingerprint. Browsers cache the file for a year, and load a new version
 * at once.
 *
 * The file is read on the first call, and again within a second after a change.
 *
 * @param name path of the file in the public directory: `app.css`, `img/logo.svg`
 * @throws E_ASSET_MISSING if there is no such file
 * @example
 * html`<link rel="stylesheet" href="${Web.asset("app.css")}" />`; // /assets/app.css?v=Yc2nT0sV3kQb
 */
export function asset(name: string): string {
  const prefix = publicPrefix();
  const path = join(publicDirectory(), name);
  return `${configuredPrefix()}${prefix === "/" ? "" : prefix}/${encodePath(name)}?v=${fingerprintOf(path)}`;
}

const cacheLifetimeMs = Time.seconds(1);
const fingerprintCache = new Map<string, { readonly expiresAtMs: number; readonly fingerprint: string }>();

/** Returns a fingerprint that is at most a second old: pages link several assets, and a synchronous read blocks the loop. */
function fingerprintOf(path: string): string {
  const nowMs = Time.monotonic();
  const entry = fingerprintCache.get(path);
  if (entry !== undefined && entry.expiresAtMs > nowMs) return entry.fingerprint;
  const fingerprint = readFingerprint(path);
  fingerprintCache.set(path, { expiresAtMs: nowMs + cacheLifetimeMs, fingerprint });
  return fingerprint;
}

function readFingerprint(path: string): string {
  try {
    return fingerprintSync(realpathSync(path));
  } catch (error) {
    throw errors.E_ASSET_MISSING(path).causedBy(error);
  }
}
