/** Maximum size of a cached file, in bytes. */
const maxFileBytes = 64 * 1024;
/** Maximum size of the cache, in bytes. */
const maxTotalBytes = 16 * 1024 * 1024;

/** Metadata of a file. Each inspection of the file creates a new object, which invalidates the cached content. */
export interface CacheableFile {
  readonly path: string;
  /** Size in bytes. */
  readonly size: number;
}

/**
 * Cache of the contents of small files. An entry is valid for one metadata object: the next inspection of the file
 * invalidates it. The oldest entries are evicted first.
 */
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
