// Compiles the test files and all that they import, before their processes run.
import { globSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { runProcess } from "./run-process.ts";
import { root } from "./test-files.ts";

/** Number of files from which on the compilation is worth its time. */
const minFiles = 20;

/** Options of `compileTestFiles`. */
export interface CompileOptions {
  /** Environment with `NODE_COMPILE_CACHE`, the cache that is filled, and `LIMMAT_TEST_RUN`, a folder for a program. */
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

/**
 * Fills the compile cache of Node in one process, in 3 s. A process that finds one file missing in the cache loads Node's
 * compiler of TypeScript: each of the 300 processes of a first run then takes 0.2 to 0.4 s of CPU time longer.
 */
export async function compileTestFiles(paths: readonly string[], { env, signal }: CompileOptions): Promise<void> {
  if (paths.length < minFiles) return;
  // Modules that others load on demand are named as well.
  const sources = globSync("src/**/*.{ts,tsx}", { cwd: root, exclude: ["**/*.test.ts"] });
  const imports = [...paths, ...sources].map(
    (path) => `import ${JSON.stringify(pathToFileURL(join(root, path)).href)};`,
  );
  const program = join(env["LIMMAT_TEST_RUN"] ?? "", "compile.mjs");
  // Node compiles all modules before it links them. The missing name ends it there, so that no test runs.
  writeFileSync(program, [...imports, 'import { missing } from "data:text/javascript,";'].join("\n"));
  await runProcess(process.execPath, ["--conditions=@limmat/source", program], { env, signal });
}
