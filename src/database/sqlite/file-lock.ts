import { DatabaseSync } from "node:sqlite";
import { isBusy } from "./classify.ts";
import { createPrivately } from "./location.ts";

/** Suffix of the lock file, as those of SQLite's own files: `data.sqlite-wal`. */
const lockFileSuffix = "-lock";

/**
 * Lock between processes: an exclusive transaction on an empty file beside the database. The operating system releases it
 * when the process ends. The file stays, because a process that opened a deleted file would lock that one.
 */
export class FileLock {
  readonly #path: string;
  #database: DatabaseSync | undefined;

  constructor(databasePath: string) {
    this.#path = databasePath + lockFileSuffix;
  }

  /** Tries to take the lock, without waiting. Returns false if another connection holds it. */
  acquire(): boolean {
    createPrivately(this.#path);
    const database = new DatabaseSync(this.#path, { timeout: 0 });
    try {
      database.exec("begin exclusive");
      this.#database = database;
      return true;
    } catch (error) {
      database.close();
      if (isBusy(error)) return false;
      throw error;
    }
  }

  /** Releases the lock. No effect if it is not held. */
  release(): void {
    this.#database?.close();
    this.#database = undefined;
  }
}
