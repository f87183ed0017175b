import { join } from "node:path";
import { BoundedMap } from "../../core/index.ts";
import { Time } from "../../time/index.ts";
import { type ContentCoding, inspectFile, realPathIn, type Validators } from "../../http/caching/index.ts";
import { isMissingFileError, isVisiblePath } from "../../http/message/index.ts";
import { FileContentCache } from "./file-content-cache.ts";

/** File on disk: the plain one, or a precompressed version. */
export interface StoredFile extends Validators {
  /** Absolute path with symbolic links resolved. */
  readonly path: string;
  /** Size in bytes. */
  readonly size: number;
  readonly coding: ContentCoding;
}

/** File of the public directory with its precompressed versions. */
export interface PublicFile {
  readonly plain: StoredFile;
  /** Precompressed versions that are not older, the most efficient coding first. */
  readonly compressed: readonly StoredFile[];
}

const compressedExtensions = [
  ["br", ".br"],
  ["zstd", ".zst"],
  ["gzip", ".gz"],
] as const;
const maxEntries = 1000;

/**
 * Files of a directory that may be served: regular files, not hidden, whose real path is inside the directory.
 *
 * Results, negative ones too, are cached for at most 1,000 paths, with the contents of small files.
 */
export class PublicDirectory {
  /** Absolute path. */
  readonly root: string;
  readonly contents: FileContentCache = new FileContentCache();
  readonly #cacheLifetimeMs: number;
  readonly #entries = new BoundedMap<
    string,
    { readonly expiresAtMs: number; readonly file: Promise<PublicFile | undefined> }
  >(maxEntries);

  /** Creates a view of a directory that caches results for `cacheLifetimeMs`. Default 1 s. */
  constructor(root: string, cacheLifetimeMs: number = Time.seconds(1)) {
    this.root = root;
    this.#cacheLifetimeMs = cacheLifetimeMs;
  }

  /** Finds the file of a path such as `css/app.css`; `undefined` if there is none to serve. Never leaves the directory. */
  find(path: string): Promise<PublicFile | undefined> {
    const nowMs = Time.monotonic();
    const cachedEntry = this.#entries.get(path);
    if (cachedEntry !== undefined && cachedEntry.expiresAtMs > nowMs) return cachedEntry.file;
    const file = this.#load(path);
    this.#entries.set(path, { expiresAtMs: nowMs + this.#cacheLifetimeMs, file });
    file.catch(() => this.#entries.delete(path));
    return file;
  }

  async #load(path: string): Promise<PublicFile | undefined> {
    if (!isVisiblePath(path, "/", visibleFolder)) return undefined;
    const plain = await this.#inspect(join(this.root, path), "identity");
    if (plain === undefined) return undefined;
    const compressedFiles = await Promise.all(
      compressedExtensions.map(([coding, ending]) => this.#inspect(plain.path + ending, coding)),
    );
    const compressed = compressedFiles.filter(
      (file) => file !== undefined && file.lastModifiedMs >= plain.lastModifiedMs,
    );
    return { plain, compressed: compressed as readonly StoredFile[] };
  }

  async #inspect(path: string, coding: ContentCoding): Promise<StoredFile | undefined> {
    try {
      const real = await realPathIn(this.root, path, visibleFolder);
      if (real === undefined) return undefined;
      const version = await inspectFile(real, coding === "identity" ? "" : `-${coding}`);
      return version === undefined ? undefined : { ...version, path: real, coding };
    } catch (error) {
      if (isMissingFileError(error)) return undefined;
      throw error;
    }
  }
}

/** Folder that is not hidden, although its name begins with a dot (RFC 8615). */
const visibleFolder = ".well-known";
