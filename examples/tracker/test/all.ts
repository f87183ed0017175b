// Runs all test files in one process, which starts the application once: `npm test`.
import { globSync } from "node:fs";
import { test } from "node:test";

for (const path of globSync("**/*.test.ts", { cwd: import.meta.dirname }).sort()) {
  await import(`./${path}`).catch((error: unknown) =>
    test(path, () => {
      throw error;
    }),
  );
}
