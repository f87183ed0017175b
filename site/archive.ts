import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";

/** Size of an archive. */
export interface ArchiveSize {
  readonly files: number;
  readonly bytes: number;
  readonly compressedBytes: number;
}

/** Files that the archive omits: `limmat docs` makes the search index from the pages, and the pictures of the tutorial are large. */
const omitted = /^search-index\.json$|^images\/tutorial\//;

/**
 * Writes the files of a site to one compressed file, which `limmat docs` serves. Its content is a line of JSON, the list of
 * paths and lengths, and then the files. A window of 16 MB finds what the pages have in common.
 */
export function writeArchive(folder: string, archive: string): ArchiveSize {
  const files = globSync("**/*", { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({ file, path: file.slice(folder.length + 1).replaceAll("\\", "/") }))
    .filter(({ path }) => !omitted.test(path))
    .map(({ file, path }) => ({ path, content: withoutPictures(path, readFileSync(file)) }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  const header = JSON.stringify(files.map(({ path, content }) => [path, content.length]));
  const bytes = Buffer.concat([Buffer.from(`${header}\n`), ...files.map(({ content }) => content)]);
  const compressed = brotliCompressSync(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  });
  writeFileSync(archive, compressed);
  return { files: files.length, bytes: bytes.length, compressedBytes: compressed.length };
}

/** Replaces the omitted pictures of a page by their descriptions. */
function withoutPictures(path: string, content: Buffer): Buffer {
  if (!path.endsWith(".html")) return content;
  const html = content.toString("utf8");
  return Buffer.from(
    html.replaceAll(/<img\b[^>]*\bimages\/tutorial\/[^>]*>/g, (image) => {
      const description = /\balt="([^"]*)"/.exec(image)?.[1] ?? "";
      return `<span class="no-picture">Picture, left out of the package: ${description}</span>`;
    }),
  );
}
