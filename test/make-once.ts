import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isRunning } from "./servers/process.ts";

/**
 * Returns a folder whose content several test files need. In a run of the test runner the first file makes it, and the others
 * wait. Elsewhere each process makes its own. The content must not be changed.
 */
export function makeOnce(name: string, make: (folder: string) => void): string {
  // tools/test/test-environment.ts
  const runFolder = process.env["LIMMAT_TEST_RUN"];
  if (runFolder === undefined) {
    const ownFolder = mkdtempSync(join(tmpdir(), `limmat-${name}-`));
    process.once("exit", () => rmSync(ownFolder, { recursive: true, force: true }));
    make(ownFolder);
    return ownFolder;
  }
  const folder = join(runFolder, name);
  const resultFile = join(runFolder, `${name}.result`);
  const makerFile = join(runFolder, `${name}.maker`);
  const writeResult = (problem: string): void => writeAtOnce(resultFile, problem);
  if (isFirst(folder)) {
    writeAtOnce(makerFile, String(process.pid));
    try {
      make(folder);
    } catch (error) {
      writeResult(String(error));
      throw error;
    }
    writeResult("");
    return folder;
  }
  while (!existsSync(resultFile)) {
    const hasEnded = existsSync(makerFile) && !isRunning(Number(readFileSync(makerFile, "utf8")));
    // It may have written the result since.
    if (hasEnded && !existsSync(resultFile)) throw new Error(`Another test file ended before it had made "${name}"`);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
  }
  const problem = readFileSync(resultFile, "utf8");
  if (problem !== "") throw new Error(`Another test file could not make "${name}": ${problem}`);
  return folder;
}

/** Deletes the folders of a run that were not made, so that a second try makes them. */
export function forgetFailures(runFolder: string): void {
  for (const entry of readdirSync(runFolder, { withFileTypes: true })) {
    const resultFile = join(runFolder, `${entry.name}.result`);
    if (!entry.isDirectory() || (existsSync(resultFile) && readFileSync(resultFile, "utf8") === "")) continue;
    for (const file of [resultFile, join(runFolder, `${entry.name}.maker`)]) rmSync(file, { force: true });
    rmSync(join(runFolder, entry.name), { recursive: true, force: true });
  }
}

/** Writes a file that other processes read, so that they never read a part of it. */
function writeAtOnce(path: string, text: string): void {
  writeFileSync(`${path}.part`, text);
  renameSync(`${path}.part`, path);
}

/** Creates the folder. Returns false if another process has created it. */
function isFirst(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}
