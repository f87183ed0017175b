import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import { Configuration, ConfigurationInternals } from "../../config/index.ts";
import {
  type AssetManifest,
  assetManifestFile,
  assetSourceExtensions,
  assetSourceFolder,
  builtAssetFolder,
  developmentAssetsVariable,
  findEntryPoints,
  suggest,
} from "../../core/index.ts";
import { Time } from "../../time/index.ts";
import { errors } from "../errors.ts";
import { configuredPrefix, publicDirectory, publicPrefix } from "../application/configuration.ts";
import { encodePath } from "../../http/message/index.ts";
import { fingerprintSync } from "./fingerprint.ts";

/**
 * Returns the URL path of a static file with its fingerprint. Browsers cache it for a year, but load new versions at once.
 *
 * A name that is no file of the public directory is looked up among the files that the command `assets` built from
 * `resources`: `app.js` is built from `resources/app.ts`. The development server builds them. Tests do not need them.
 *
 * The file is read on the first call, and again within a second after a change.
 *
 * @param name path of the file in the public directory: `app.css`, `img/logo.svg`
 * @throws E_ASSET_MISSING if there is no such file
 * @example
 * html`<link rel="stylesheet" href="${Web.asset("app.css")}" />`; // /assets/app.css?v=Yc2nT0sV3kQb
 */
export function asset(name: string): string {
  const location = locationOf(name);
  if (location.startsWith("/")) return location;
  const prefix = publicPrefix();
  return `${configuredPrefix()}${prefix === "/" ? "" : prefix}/${location}`;
}

const cacheLifetimeMs = Time.seconds(1);
const locationCache = new Map<string, { readonly expiresAtMs: number; readonly location: string }>();

/** Returns a location that is at most a second old: pages link several assets, and a synchronous read blocks the loop. */
function locationOf(name: string): string {
  const path = join(publicDirectory(), name);
  const nowMs = Time.monotonic();
  const entry = locationCache.get(path);
  if (entry !== undefined && entry.expiresAtMs > nowMs) return entry.location;
  const location = readLocation(name, path);
  locationCache.set(path, { expiresAtMs: nowMs + cacheLifetimeMs, location });
  return location;
}

/** Returns the path and query below the prefix, or the absolute path of a file of the development server. */
function readLocation(name: string, path: string): string {
  try {
    return `${encodePath(name)}?v=${fingerprintSync(realpathSync(path))}`;
  } catch (error) {
    const source = findSource(name);
    const location = builtLocation(name, source !== undefined);
    if (location !== undefined) return location;
    throw errors.E_ASSET_MISSING(path, source, similarAsset(name, path)).causedBy(error);
  }
}

/** Returns the name of the asset in the same folder, or in the manifest, that is most similar to a missing one. */
function similarAsset(name: string, path: string): string | undefined {
  const folder = dirname(path);
  const files = statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true ? readdirSync(folder) : [];
  return suggest(name, [...files.map((file) => join(dirname(name), file)), ...Object.keys(readManifest())])[0];
}

function builtLocation(name: string, hasSource: boolean): string | undefined {
  const developmentPath = Configuration.readString(developmentAssetsVariable);
  if (hasSource && developmentPath !== undefined) return `${developmentPath}/${encodePath(name)}`;
  const fileName = readManifest()[name] ?? (hasSource && Configuration.environment() === "test" ? name : undefined);
  return fileName === undefined ? undefined : `${builtAssetFolder}/${encodePath(fileName)}`;
}

function readManifest(): AssetManifest {
  const path = join(publicDirectory(), builtAssetFolder, assetManifestFile);
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as AssetManifest) : {};
}

/** Returns the sources of `resources` that have no file yet, so that `asset` throws in production. */
export function unbuiltSources(): readonly string[] {
  const manifest = readManifest();
  return findEntryPoints(ConfigurationInternals.root()).filter((source) => {
    const extension = extname(source);
    const name = basename(source, extension) + (extension === ".css" ? ".css" : ".js");
    return manifest[name] === undefined && !existsSync(join(publicDirectory(), name));
  });
}

/** Finds the source of a built file: `resources/app.ts` for `app.js`. */
function findSource(name: string): string | undefined {
  if (name.includes("/") || (extname(name) !== ".js" && extname(name) !== ".css")) return undefined;
  const path = `${assetSourceFolder}/${name.slice(0, -extname(name).length)}`;
  return assetSourceExtensions
    .map((extension) => path + extension)
    .find((source) => existsSync(join(ConfigurationInternals.root(), source)));
}
