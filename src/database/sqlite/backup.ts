import { chmodSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { messageOf } from "../../core/index.ts";
import { Time } from "../../time/index.ts";
import { errors } from "../errors.ts";
import { createPrivately, sqlitePath } from "./location.ts";

/** Options of `backupDatabase`. */
export interface BackupOptions {
  /** URL of the database. */
  readonly url: string;
  /** Folder of the copies, which is created if it does not exist. */
  readonly folder: string;
  /** Number of copies of the database that stay in the folder. */
  readonly keep: number;
}

// One batch of all pages: the copy is a snapshot, which writes of other processes neither delay nor repeat.
const allPages = 2 ** 30;

/**
 * Copies a database to a file with the time in its name, which only this user can read, and deletes all but the latest
 * copies. Returns the path of the copy. Reads and writes of other processes continue.
 *
 * The copy is complete and checked before it gets its name: a failure leaves no file that looks like a copy.
 *
 * @throws E_DATABASE_BACKUP
 */
export async function backupDatabase({ url, folder, keep }: BackupOptions): Promise<string> {
  const source = sqlitePath(url);
  if (source === undefined) throw errors.E_DATABASE_BACKUP("it is in memory");
  if (statSync(source, { throwIfNoEntry: false })?.isFile() !== true) {
    throw errors.E_DATABASE_BACKUP(`the file ${source} does not exist`);
  }
  const prefix = `${basename(source, extname(source))}-`;
  const time = Time.now()
    .toISOString()
    .replaceAll(/[-:]|\.\d+/g, "");
  const path = join(folder, `${prefix}${time}.sqlite`);
  const partialPath = `${path}.partial`;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    rmSync(partialPath, { force: true });
    createPrivately(partialPath);
    {
      using database = new DatabaseSync(source, { readOnly: true, timeout: 10_000 });
      await backup(database, partialPath, { rate: allPages });
    }
    checkCopy(partialPath);
    chmodSync(partialPath, 0o600);
    await syncToDisk(partialPath);
    renameSync(partialPath, path);
  } catch (cause) {
    rmSync(partialPath, { force: true });
    throw errors.E_DATABASE_BACKUP(messageOf(cause)).causedBy(cause);
  }
  const copies = readdirSync(folder).filter(
    (name) => name.startsWith(prefix) && /^\d{8}T\d{6}Z\.sqlite$/.test(name.slice(prefix.length)),
  );
  for (const name of copies.toSorted().slice(0, -keep)) rmSync(join(folder, name));
  return path;
}

/** Checks a copy, and makes it a single file: in the mode WAL, a reader would create two more. */
function checkCopy(path: string): void {
  using copy = new DatabaseSync(path);
  copy.exec("pragma journal_mode = delete");
  const { quick_check: result } = copy.prepare("pragma quick_check(1)").get() ?? {};
  if (result !== "ok") throw new Error(`the copy is damaged: ${String(result)}`);
}

async function syncToDisk(path: string): Promise<void> {
  await using file = await open(path, "r+");
  await file.sync();
}
