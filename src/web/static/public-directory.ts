import { realpath, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { Time } from "../../time/index.ts";
import type { Coding, Validators } from "../../http/caching/index.ts";
import { KeptFiles } from "./kept-files.ts";

/** One way in which a file lies on the disk: as it is, or compressed beside it. */
export interface StoredFile extends Validators {
  /** Absolute, symbolic links resolved. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  readonly coding: Coding;
}

/** A file that may be served. */
export interface PublicFile {
  readonly plain: StoredFile;
  /** The compressed ones beside it that are not older, the shortest coding first. */
  readonly compressed: readonly StoredFile[];
}

const endings = [
  ["br", ".br"],
  ["zstd", ".zst"],
  ["gzip", ".gz"],
] as const;
const mostEntries = 1000;

/**
 * The files below a directory that may be served: regular files, not hidden, that are really inside of it.
 *
 * What was found, or not, is remembered for a while, for at most 1,000 paths, and with it the contents of small files.
 */
export class PublicDirectory {
  /** Absolute. */
  readonly root: string;
  readonly kept: KeptFiles = new KeptFiles();
  readonly #lifetime: number;
  readonly #known = new Map<string, { readonly until: number; readonly file: Promise<PublicFile | undefined> }>();

  /** How long it remembers is in milliseconds, a second by default. */
  constructor(root: string, lifetime: number = Time.seconds(1)) {
    this.root = root;
    this.#lifetime = lifetime;
  }

  /** The file of a path such as `css/app.css`, or `undefined` when there is none to serve. Never leaves the directory. */
  find(path: string): Promise<PublicFile | undefined> {
    const now = Time.monotonic();
    const known = this.#known.get(path);
    if (known !== undefined && known.until > now) return known.file;
    const file = this.#load(path);
    this.#known.delete(path);
    if (this.#known.size >= mostEntries) this.#known.delete(this.#known.keys().next().value ?? "");
    this.#known.set(path, { until: now + this.#lifetime, file });
    file.catch(() => this.#known.delete(path));
    return file;
  }

  async #load(path: string): Promise<PublicFile | undefined> {
    if (!isVisible(path, "/")) return undefined;
    const plain = await this.#inspect(join(this.root, path), "identity");
    if (plain === undefined) return undefined;
    const beside = await Promise.all(endings.map(([coding, ending]) => this.#inspect(plain.path + ending, coding)));
    const compressed = beside.filter((file) => file !== undefined && file.modified >= plain.modified);
    return { plain, compressed: compressed as readonly StoredFile[] };
  }

  async #inspect(path: string, coding: Coding): Promise<StoredFile | undefined> {
    try {
      const [root, real] = await Promise.all([realpath(this.root), realpath(path)]);
      // From one drive of Windows to another nothing leads upwards.
      if (!real.startsWith(root) || !isVisible(relative(root, real), sep)) return undefined;
      const found = await stat(real, { bigint: true });
      if (!found.isFile()) return undefined;
      const size = Number(found.size);
      const tag = `"${size.toString(36)}-${found.mtimeNs.toString(36)}${coding === "identity" ? "" : `-${coding}`}"`;
      return { path: real, size, tag, modified: Number(found.mtimeMs), coding };
    } catch (error) {
      if (isAbsence(error)) return undefined;
      throw error;
    }
  }
}

/** Whether no part of the path is hidden, empty, or leads upwards: each has a first character that is no dot. */
function isVisible(path: string, separator: string): boolean {
  return path.split(separator).every((segment) => segment !== "" && !segment.startsWith("."));
}

const absences: ReadonlySet<unknown> = new Set(["ENOENT", "ENOTDIR", "ENAMETOOLONG", "ELOOP", "EACCES", "EINVAL"]);

function isAbsence(error: unknown): boolean {
  return absences.has((error as NodeJS.ErrnoException).code);
}
