import { open, readdir, rm, stat } from "node:fs/promises";

/** Returns true if a file system error has this code. */
export const hasErrorCode = (error: unknown, code: string): boolean =>
  error instanceof Error && (error as NodeJS.ErrnoException).code === code;

/** Returns the result of an operation, or `undefined` if the file or folder does not exist. */
export async function ifExists<T>(operation: Promise<T>): Promise<T | undefined> {
  try {
    return await operation;
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

/** Flushes a folder to disk, so that renames in it survive a power failure. Flushing the files alone does not suffice. */
export async function syncFolder(path: string): Promise<void> {
  // Windows cannot open folders.
  if (process.platform === "win32") return;
  const handle = await open(path);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Returns the sorted names in a folder that match a pattern. A missing folder has none. */
export async function listNames(path: string, pattern: RegExp): Promise<readonly string[]> {
  const names = (await ifExists(readdir(path))) ?? [];
  return names.filter((name) => pattern.test(name)).sort();
}

/** Deletes a file last modified before a point in time. */
export async function deleteIfOlder(path: string, before: Date): Promise<void> {
  const stats = await ifExists(stat(path));
  if (stats !== undefined && stats.mtime < before) await rm(path, { force: true });
}
