import { realpathSync } from "node:fs";
import { join } from "node:path";
import { errors } from "../errors.ts";
import { configuredPrefix } from "../http/configuration.ts";
import { encodePath } from "../path.ts";
import { publicDirectory, publicPrefix } from "./configuration.ts";
import { fingerprintSync } from "./fingerprint.ts";

/**
 * The address of a static file with its fingerprint, so that browsers keep it for a year and still see a new one at once.
 *
 * Give it to pages in place of the plain address. The file is read when it is first asked for, and again after it changed.
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

function fingerprintOf(path: string): string {
  try {
    return fingerprintSync(realpathSync(path));
  } catch (error) {
    throw errors.E_ASSET_MISSING(path).causedBy(error);
  }
}
