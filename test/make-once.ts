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

/** Time limit for another process that makes the content of a folder, in milliseconds. */
const timeoutMs = 300_000;

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
  const writeResult = (problem: string): void => {
    writeFileSync(`${resultFile}.part`, problem);
    renameSync(`${resultFile}.part`, resultFile);
  };
  if (isFirst(folder)) {
    try {
      make(folder);
    } catch (error) {
      writeResult(String(error));
      throw error;
    }
    writeResult("");
    return folder;
  }
  const deadlineMs = performance.now() + timeoutMs;
  while (!existsSync(resultFile)) {
    if (performance.now() > deadlineMs) throw new Error(`Another test file did not make "${name}" in time`);
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
    rmSync(resultFile, { force: true });
    rmSync(join(runFolder, entry.name), { recursive: true, force: true });
  }
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
