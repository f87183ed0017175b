// Compiles the test files and all that they import, before their processes run.
import { globSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { ProcessGuard } from "./process-guard.ts";
import { runProcess } from "./run-process.ts";
import { root } from "./test-files.ts";

/** Fewer files are not compiled in advance: it would take longer than it saves. */
const minFiles = 20;

/** Options of `compileTestFiles`. */
export interface CompileOptions {
  /** Environment with `NODE_COMPILE_CACHE`, the cache that is filled, and `LIMMAT_TEST_RUN`, a folder for a program. */
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly guard: ProcessGuard;
}

/**
 * Fills the compile cache of Node, in one process that takes 4 s. Without it, each of the 300 processes of a first run loads
 * Node's compiler of TypeScript: 0.15 s of CPU time for one missing file, up to 0.45 s if all are missing.
 */
export async function compileTestFiles(
  paths: readonly string[],
  { env, signal, guard }: CompileOptions,
): Promise<void> {
  if (paths.length < minFiles) return;
  // Also the modules that others load on demand.
  const sources = globSync("src/**/*.{ts,tsx}", { cwd: root, exclude: ["**/*.test.ts"] });
  const imports = [...paths, ...sources].map(
    (path) => `import ${JSON.stringify(pathToFileURL(join(root, path)).href)};`,
  );
  const program = join(env["LIMMAT_TEST_RUN"] ?? "", "compile.mjs");
  // Node compiles all modules before it links them. The missing name ends it there, so that no test runs.
  writeFileSync(program, [...imports, 'import { missing } from "data:text/javascript,";'].join("\n"));
  await runProcess(process.execPath, ["--conditions=@limmat/source", program], { env, signal, guard });
}
