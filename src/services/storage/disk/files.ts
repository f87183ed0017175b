import { open, readdir, rm, stat } from "node:fs/promises";

/** Whether an error of the file system has this code. */
export const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && (error as NodeJS.ErrnoException).code === code;

/** What comes of a promise, or `undefined` when there is no such file or folder. */
export async function ifThere<T>(promise: Promise<T>): Promise<T | undefined> {
  try {
    return await promise;
  } catch (error) {
    if (isCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

/** Makes sure that the names in a folder survive a power failure, which those of its files alone do not. */
export async function syncFolder(path: string): Promise<void> {
  // Windows opens no folders.
  if (process.platform === "win32") return;
  const handle = await open(path);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The names in a folder that match; none when there is no such folder. */
export async function namesIn(path: string, pattern: RegExp): Promise<readonly string[]> {
  const names = (await ifThere(readdir(path))) ?? [];
  return names.filter((name) => pattern.test(name)).sort();
}

/** Deletes a file that was last written before a point in time. */
export async function removeBefore(path: string, before: Date): Promise<void> {
  const found = await ifThere(stat(path));
  if (found !== undefined && found.mtime < before) await rm(path, { force: true });
}
