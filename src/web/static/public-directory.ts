import { join } from "node:path";
import { BoundedMap } from "../../core/index.ts";
import { Time } from "../../time/index.ts";
import {
  type ByteRange,
  chooseContentCoding,
  type ContentCoding,
  inspectFile,
  realPathIn,
  sendContent,
  type Validators,
} from "../../http/caching/index.ts";
import { FileBody, isMissingFileError, isVisiblePath, type Request, type Response } from "../../http/message/index.ts";
import { mediaType } from "../../media-type/index.ts";

/** Maximum size of a cached file, in bytes. */
const maxFileBytes = 64 * 1024;
/** Maximum size of the cache, in bytes. */
const maxTotalBytes = 16 * 1024 * 1024;

/** Metadata of a file. Each inspection of the file creates a new object, which invalidates the cached content. */
export type CacheableFile = Pick<StoredFile, "path" | "size">;

/** Contents of small files, the oldest evicted first. An entry is valid until the file is inspected again. */
export class FileContentCache {
  readonly #entries = new Map<string, { readonly file: CacheableFile; readonly bytes: Uint8Array }>();
  #totalBytes = 0;

  /** Returns the content of a file if it is cached. */
  find(file: CacheableFile): Uint8Array | undefined {
    const entry = this.#entries.get(file.path);
    return entry?.file === file ? entry.bytes : undefined;
  }

  /** Caches the full content of a file, unless it is too large or its size has changed since the inspection. */
  store(file: CacheableFile, bytes: Uint8Array): void {
    if (bytes.length > maxFileBytes || bytes.length !== file.size) return;
    this.#drop(file.path);
    this.#entries.set(file.path, { file, bytes });
    this.#totalBytes += bytes.length;
    for (const path of this.#entries.keys()) {
      if (this.#totalBytes <= maxTotalBytes) return;
      this.#drop(path);
    }
  }

  #drop(path: string): void {
    this.#totalBytes -= this.#entries.get(path)?.bytes.length ?? 0;
    this.#entries.delete(path);
  }
}

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
 * Regular files in a directory that are not hidden, also after their links are resolved. Results, negative ones too,
 * are cached for at most 1,000 paths, with the contents of small files.
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

  /** Caches results for `cacheLifetimeMs`, by default 1 s. */
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

/** Responds to GET or HEAD with the file, a range of it, 304, 412 or 416 (RFC 9110 §13, §14). */
export function sendFile(request: Request, file: PublicFile, cache: FileContentCache, cacheControl: string): Response {
  const stored = chooseFile(request, file);
  const headers: Record<string, string> = { "cache-control": cacheControl };
  if (file.compressed.length > 0) headers["vary"] = "accept-encoding";
  const contentHeaders: Record<string, string> = { "content-type": mediaType(file.plain.path) };
  if (stored.coding !== "identity") contentHeaders["content-encoding"] = stored.coding;
  return sendContent(request, {
    etag: stored.etag,
    lastModifiedMs: stored.lastModifiedMs,
    size: stored.size,
    headers,
    contentHeaders,
    body: (part) => bodyOf(stored, part, cache),
  });
}

function bodyOf(stored: StoredFile, { first, last }: ByteRange, cache: FileContentCache): FileBody {
  const length = last - first + 1;
  const bytes = cache.find(stored)?.subarray(first, last + 1);
  const keep = length === stored.size ? (read: Uint8Array): void => cache.store(stored, read) : undefined;
  return new FileBody(stored.path, { start: first, length, bytes, onRead: keep });
}

function chooseFile(request: Request, { plain, compressed }: PublicFile): StoredFile {
  const coding = chooseContentCoding(
    request.header("accept-encoding"),
    compressed.map((file) => file.coding),
  );
  return compressed.find((file) => file.coding === coding) ?? plain;
}
