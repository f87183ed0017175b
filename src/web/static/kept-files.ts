/** Files up to this size are kept, in bytes. */
const largest = 64 * 1024;
/** So many bytes are kept in all. */
const most = 16 * 1024 * 1024;

/** What is known of a file: a new object each time that it is looked at. */
export interface KnownFile {
  readonly path: string;
  /** Bytes. */
  readonly size: number;
}

/**
 * The contents of small files, each kept as long as what is known of the file is: until it is looked at anew. The oldest
 * go first when there are too many.
 */
export class KeptFiles {
  readonly #kept = new Map<string, { readonly file: KnownFile; readonly bytes: Uint8Array }>();
  #size = 0;

  /** The content of a file, if it was kept. */
  find(file: KnownFile): Uint8Array | undefined {
    const kept = this.#kept.get(file.path);
    return kept?.file === file ? kept.bytes : undefined;
  }

  /** Keeps the whole content of a file, unless it is large, or not what it was when it was looked at. */
  keep(file: KnownFile, bytes: Uint8Array): void {
    if (bytes.length > largest || bytes.length !== file.size) return;
    this.#drop(file.path);
    this.#kept.set(file.path, { file, bytes });
    this.#size += bytes.length;
    for (const path of this.#kept.keys()) {
      if (this.#size <= most) return;
      this.#drop(path);
    }
  }

  #drop(path: string): void {
    this.#size -= this.#kept.get(path)?.bytes.length ?? 0;
    this.#kept.delete(path);
  }
}
