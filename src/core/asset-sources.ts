import { existsSync, readdirSync } from "node:fs";
import { extname, join } from "node:path";

/** Folder of a project that contains the sources of style sheets and scripts. */
export const assetSourceFolder = "resources";

/** File extensions of sources. The files directly in `resources` with one of them are the entry points of a build. */
export const assetSourceExtensions: readonly string[] = [".ts", ".tsx", ".js", ".jsx", ".css"];

/** Returns the entry points: paths, relative to the project, of the sources directly in `resources`, sorted. */
export function findEntryPoints(root: string): string[] {
  const folder = join(root, assetSourceFolder);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => assetSourceExtensions.includes(extname(name)) && !/^\.|\.(?:d|test)\.[jt]sx?$/.test(name))
    .sort()
    .map((name) => `${assetSourceFolder}/${name}`);
}

/** Folder in the public directory that contains the built files. Each name holds the fingerprint of its content. */
export const builtAssetFolder = "built";

/** File in the folder of the built files that maps the name of each entry point to its file: `app.js`, `app-KWJ46ML7.js`. */
export const assetManifestFile = ".manifest.json";

/** Content of the manifest. */
export type AssetManifest = Readonly<Record<string, string>>;

/** Environment variable of the application with the path below which the development server serves the built files. */
export const developmentAssetsVariable = "DEVELOPMENT_ASSETS";
