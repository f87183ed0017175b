import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Configuration } from "../../config/index.ts";
import { errors } from "../errors.ts";

/** Where a database lies. */
export interface Location {
  readonly path: string;
  /** Whether it lives only as long as the service. */
  readonly isTemporary: boolean;
  /** Removes a temporary database; does nothing to others. */
  readonly remove: () => void;
}

/**
 * Understands `sqlite:path`, `file:` URLs, plain paths (relative to the project's root) and `:memory:`.
 *
 * @throws E_DATABASE_URL
 */
export function locate(url: string): Location {
  if (url === ":memory:" || url === "sqlite::memory:") return temporary();
  const path = toPath(url);
  if (path === "" || path.includes("\0")) throw errors.E_DATABASE_URL("it names no file");
  const file = isAbsolute(path) ? path : join(Configuration.root(), path);
  mkdirSync(dirname(file), { recursive: true });
  return { path: file, isTemporary: false, remove: () => {} };
}

function toPath(url: string): string {
  if (url.startsWith("file:///")) return fileURLToPath(url);
  const [scheme] = /^[a-z][a-z0-9+.-]+(?=:)/i.exec(url) ?? [];
  if (scheme !== undefined && scheme !== "sqlite" && scheme !== "file") {
    throw errors.E_DATABASE_URL(`"${scheme}:" is not for SQLite; take sqlite:path/to/file.sqlite`);
  }
  return url.replace(/^(?:sqlite|file):(?:\/\/(?=\/))?/, "");
}

/**
 * A database "in memory" is a file in a folder that is deleted at the end: only files let readers and the writer work
 * beside each other (WAL). Where the system keeps a folder in memory, it lies there.
 */
function temporary(): Location {
  const folder = mkdtempSync(join(isFolder("/dev/shm") ? "/dev/shm" : tmpdir(), "limmat-"));
  const remove = (): void => {
    process.off("exit", remove);
    rmSync(folder, { recursive: true, force: true });
  };
  process.on("exit", remove);
  return { path: join(folder, "memory.sqlite"), isTemporary: true, remove };
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
