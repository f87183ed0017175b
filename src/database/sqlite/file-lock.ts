import { DatabaseSync } from "node:sqlite";
import { isBusy } from "./classify.ts";
import { createPrivately } from "./location.ts";

/**
 * Lock between processes: an exclusive transaction on an empty file beside the database. The operating system releases it
 * when the process ends. The file stays, because a process that opened a deleted file would lock that one.
 */
export class FileLock {
  readonly #path: string;
  #database: DatabaseSync | undefined;
  #depth = 0;

  constructor(databasePath: string) {
    this.#path = `${databasePath}-lock`;
  }

  /**
   * Tries to take the lock, without waiting. Returns false if another connection holds it. A lock that is held already must
   * be released once more, as those of PostgreSQL and MariaDB.
   */
  acquire(): boolean {
    if (this.#database !== undefined) {
      this.#depth += 1;
      return true;
    }
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
    if (this.#depth > 0) this.#depth -= 1;
    else this.close();
  }

  /** Releases the lock, however often it was taken. */
  close(): void {
    this.#depth = 0;
    this.#database?.close();
    this.#database = undefined;
  }
}
