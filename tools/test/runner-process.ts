// The test runner as a process, on test files of a temporary folder, for its own tests.
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after } from "node:test";
import { type MarkedProcess, markedProcesses } from "./marked-processes.ts";
import { root } from "./test-files.ts";

/** Folder of the test files. */
const folder = mkdtempSync(join(tmpdir(), "limmat-runner-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** File with the unstable jobs of these runs. */
export const unstableFile: string = join(folder, "unstable.md");

/** Environment variable that marks all processes of these runs. */
const probe = "LIMMAT_TEST_PROBE";
const probeValue = randomUUID();

/** Writes a test file and returns its path. */
export function writeTest(name: string, code: string): string {
  const path = join(folder, name);
  writeFileSync(
    path,
    `import assert from "node:assert/strict";\nimport { after, describe, test } from "node:test";\n${code}`,
  );
  return path;
}

/** Returns the environment of a run. */
export function runnerEnvironment(): NodeJS.ProcessEnv {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  return { ...env, NO_COLOR: "1", LIMMAT_TEST_UNSTABLE: unstableFile, [probe]: probeValue };
}

/** Runs the runner to its end. */
export async function runRunner(
  ...args: readonly string[]
): Promise<{ readonly code: number; readonly output: string }> {
  const child = spawn(process.execPath, [join(root, "tools/test.ts"), ...args], {
    cwd: root,
    env: runnerEnvironment(),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  return { code: Number(code), output: output + errors };
}

/** Returns all running processes of these runs. */
export const runnerProcesses = (): readonly MarkedProcess[] => markedProcesses(`${probe}=${probeValue}`);
