import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { indexPages } from "./page-index.ts";

/** Path of the search index in the site. */
export const searchIndexFile = "search-index.json";

/** Writes the search index of all pages of a site. */
export function writeSearchIndex(site: string): void {
  const paths = globSync("**/*.html", { cwd: site }).sort();
  const index = indexPages(paths.map((path) => [path.replaceAll("\\", "/"), readFileSync(join(site, path))]));
  writeFileSync(join(site, searchIndexFile), JSON.stringify(index));
}
