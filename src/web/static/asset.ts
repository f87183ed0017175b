import { realpathSync } from "node:fs";
import { join } from "node:path";
import { Time } from "../../time/index.ts";
import { errors } from "../errors.ts";
import { configuredPrefix } from "../application/configuration.ts";
import { encodePath } from "../../http/message/index.ts";
import { publicDirectory, publicPrefix } from "./configuration.ts";
import { fingerprintSync } from "./fingerprint.ts";

/**
 * The address of a static file with its fingerprint, so that browsers keep it for a year and still see a new one at once.
 *
 * Give it to pages in place of the plain address. The file is read when it is first asked for, and again, at the latest
 * after a second, when it has changed.
 *
 * @param name the path of the file in the public directory: `app.css`, `img/logo.svg`
 * @throws E_ASSET_MISSING when there is no such file
 * @example
 * html`<link rel="stylesheet" href="${Web.asset("app.css")}" />`; // /assets/app.css?v=Yc2nT0sV3kQb
 */
export function asset(name: string): string {
  const prefix = publicPrefix();
  const path = join(publicDirectory(), name);
  return `${configuredPrefix()}${prefix === "/" ? "" : prefix}/${encodePath(name)}?v=${fingerprintOf(path)}`;
}

const lifetime = Time.seconds(1);
const known = new Map<string, { readonly until: number; readonly fingerprint: string }>();

/** Looks at the disk once in a second: a page names several assets, and each look holds everybody up. */
function fingerprintOf(path: string): string {
  const now = Time.monotonic();
  const entry = known.get(path);
  if (entry !== undefined && entry.until > now) return entry.fingerprint;
  const fingerprint = read(path);
  known.set(path, { until: now + lifetime, fingerprint });
  return fingerprint;
}

function read(path: string): string {
  try {
    return fingerprintSync(realpathSync(path));
  } catch (error) {
    throw errors.E_ASSET_MISSING(path).causedBy(error);
  }
}
