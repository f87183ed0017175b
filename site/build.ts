// Builds the site: `node build.ts`, or into a folder with other versions: `node build.ts --versions <folder> [--next] [--base <path>]`.
// The URL path at which the folder is published, `/` by default, is for 404.html only: all other links are relative.
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join, posix, resolve } from "node:path";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { checkLinks } from "./check.ts";
import { createEleventy } from "./eleventy.ts";
import { packageVersion } from "./links.ts";
import { notFoundFile } from "./not-found.ts";
import { generateReference } from "./reference/generate-reference.ts";
import { searchIndexFile } from "./search-index.ts";

const { values } = parseArgs({
  options: { versions: { type: "string" }, next: { type: "boolean" }, base: { type: "string", default: "/" } },
});
const started = performance.now();
// Eleventy reads and writes relative to the current folder.
const callerFolder = process.cwd();
process.chdir(import.meta.dirname);

const release = packageVersion.split(".").slice(0, 2).join(".");
const version = values.next === true ? "next" : release;
const folder = values.versions === undefined ? undefined : resolve(callerFolder, values.versions);
const output = folder === undefined ? "dist/html" : join(folder, version);
const base = folder === undefined ? "/" : posix.join("/", values.base, version, "/");

rmSync(output, { recursive: true, force: true });
mkdirSync(output, { recursive: true });

const reference = await generateReference();
report(`reference: ${reference.exports} exports on ${reference.pages} pages`);
if (reference.undocumented.length > 0) {
  report(`exports without a doc comment:\n${reference.undocumented.join("\n")}`);
  process.exitCode = 1;
}

const eleventy = await createEleventy({ output, version, hasVersions: folder !== undefined, base, reference });
await eleventy.write();
report("pages written");

const searchIndex = readFileSync(join(output, searchIndexFile));
report(`search index: ${kilobytes(searchIndex.length)}, gzip ${kilobytes(gzipSync(searchIndex).length)}`);

const { pages, links, broken } = checkLinks(output, base);
report(`${pages} pages, ${links} links, ${broken.length} broken`);
if (broken.length > 0) {
  console.error(broken.join("\n"));
  process.exitCode = 1;
}

const firstPage = firstPageBytes(output);
report(`first page: ${kilobytes(firstPage)} uncompressed, with its style sheet, script and icon`);

if (folder !== undefined) writeVersions(folder);

/** Returns the size of the first page with everything that it loads. The picture loads when it is scrolled into view. */
function firstPageBytes(site: string): number {
  const text = readFileSync(join(site, "index.html"), "utf8");
  const files = [
    ...text.matchAll(/<(?:link rel="(?:stylesheet|icon)"|script type="module"|img)[^>]*?(?:href|src)="([^"?]*)/g),
  ];
  const paths = new Set(["index.html", ...files.map(([, path = ""]) => path)]);
  return [...paths].reduce((sum, path) => sum + statSync(join(site, path)).size, 0);
}

/** Writes the list of versions, newest first, and a first page and a `404.html` that lead to the newest release. */
function writeVersions(parent: string): void {
  const names = readdirSync(parent).filter((name) => existsSync(join(parent, name, "llms.txt")));
  const releases = names.filter((name) => name !== "next").sort((a, b) => b.localeCompare(a, "en", { numeric: true }));
  const versions = names.includes("next") ? ["next", ...releases] : releases;
  const newest = releases[0] ?? "next";
  // Hosts such as GitHub Pages show the file in the root for every unknown URL.
  const notFound = join(parent, newest, notFoundFile);
  if (existsSync(notFound)) copyFileSync(notFound, join(parent, notFoundFile));
  writeFileSync(join(parent, "versions.json"), `${JSON.stringify(versions)}\n`);
  writeFileSync(
    join(parent, "index.html"),
    `<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>limmat</title>\n<meta http-equiv="refresh" content="0; url=${newest}/index.html">\n<p><a href="${newest}/index.html">limmat ${newest}</a></p>\n</html>\n`,
  );
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(bytes < 100_000 ? 1 : 0)} kB`;
}

function report(line: string): void {
  console.log(`${((performance.now() - started) / 1000).toFixed(1).padStart(5)} s  ${line}`);
}
