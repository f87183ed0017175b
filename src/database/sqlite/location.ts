import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ConfigurationInternals } from "../../config/index.ts";
import { errors } from "../errors.ts";

/** Location of a database file. */
export interface Location {
  readonly path: string;
  /** True if the database is removed when the service stops. */
  readonly isTemporary: boolean;
  /** Removes a temporary database. No effect for others. */
  readonly remove: () => void;
}

/**
 * Parses `sqlite:path`, a `file:` URL, a plain path (relative to the project's root) or `:memory:`.
 *
 * @throws E_DATABASE_URL
 */
export function parseSqliteUrl(url: string): Location {
  const file = sqlitePath(url);
  if (file === undefined) return temporaryLocation();
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  createPrivately(file);
  return { path: file, isTemporary: false, remove: () => {} };
}

/**
 * Returns the absolute path that a URL names, or `undefined` for a database in memory. Creates nothing.
 *
 * @throws E_DATABASE_URL
 */
export function sqlitePath(url: string): string | undefined {
  if (url === ":memory:" || url === "sqlite::memory:") return undefined;
  const path = toPath(url);
  if (path === "" || path.includes("\0")) throw errors.E_DATABASE_URL("the path of the file is missing");
  return isAbsolute(path) ? path : join(ConfigurationInternals.root(), path);
}

/** Creates a missing file that only this user can read. SQLite gives its journals the same mode. */
export function createPrivately(file: string): void {
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch {
    // The file exists, or SQLite fails with a reason when it opens it.
  }
}

function toPath(url: string): string {
  if (url.startsWith("file:///")) return fileURLToPath(url);
  const [scheme] = /^[a-z][a-z0-9+.-]+(?=:)/i.exec(url) ?? [];
  if (scheme !== undefined && scheme !== "sqlite" && scheme !== "file") {
    throw errors.E_DATABASE_URL(`"${scheme}:" is not a protocol of SQLite; use sqlite:path/to/file.sqlite`);
  }
  return url.replace(/^(?:sqlite|file):(?:\/\/(?=\/))?/, "");
}

/**
 * Returns the location of an in-memory database: a file in a temporary folder that is removed at the end.
 *
 * Only files support concurrent readers and a writer (WAL). The folder is in `/dev/shm` if the system has it.
 */
function temporaryLocation(): Location {
  const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "limmat-"));
  const remove = (): void => {
    process.off("exit", remove);
    rmSync(folder, { recursive: true, force: true });
  };
  process.on("exit", remove);
  return { path: join(folder, "memory.sqlite"), isTemporary: true, remove };
}
