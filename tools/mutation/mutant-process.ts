// Child process of `MutantRunner`. For each run it imports the test files and all sources again, with one source replaced.
import * as fc from "fast-check";
import { readFileSync } from "node:fs";
import { registerHooks, stripTypeScriptTypes } from "node:module";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { MutantRun, RunResult } from "./mutant-runner.ts";
import { passes } from "./test-runner.ts";

const root = resolve(import.meta.dirname, "../..");
const sourceUrl = pathToFileURL(join(root, "src/")).href;
const testUrl = pathToFileURL(join(root, "test/")).href;
const isRepositoryUrl = (url = ""): boolean => url.startsWith(sourceUrl) || url.startsWith(testUrl);
const testRunnerUrl = import.meta.resolve("./test-runner.ts");
const sources = new Map<string, string>();

// A new query string for each test file gives it new module instances.
let importNumber = 0;
let currentRun: MutantRun | undefined;

registerHooks({
  resolve(specifier, context, next) {
    if (isRepositoryUrl(context.parentURL) && /^node:test$|\/servers\/server\.ts$/.test(specifier))
      return { url: testRunnerUrl, shortCircuit: true };
    const resolved = next(specifier, context);
    return isRepositoryUrl(resolved.url)
      ? { ...resolved, url: `${withoutNumber(resolved.url)}?run=${importNumber}` }
      : resolved;
  },
  load(url, context, next) {
    if (!isRepositoryUrl(url) || !url.includes(".ts?run=")) return next(url, context);
    const path = fileURLToPath(withoutNumber(url));
    const isMutated = currentRun !== undefined && path === join(root, currentRun.file);
    return { format: "module", source: isMutated ? currentRun?.code : readSource(path), shortCircuit: true };
  },
});

const withoutNumber = (url: string): string => url.replace(/\?run=\d+$/, "");

function readSource(path: string): string {
  const source = sources.get(path) ?? stripTypeScriptTypes(readFileSync(path, "utf8"));
  sources.set(path, source);
  return source;
}

async function run(mutantRun: MutantRun): Promise<boolean> {
  currentRun = mutantRun;
  for (const test of mutantRun.tests) {
    importNumber += 1;
    if (!(await passes(() => import(pathToFileURL(join(root, test)).href)))) return false;
  }
  return true;
}

const sendResult = (result: RunResult): void => void process.send?.(result);

// Fixed seed: every run checks the same examples. No shrinking: the counterexample is not reported.
fc.configureGlobal({ seed: 1, endOnFailure: true });
process.on("uncaughtException", () => sendResult("unhandled"));
process.on("unhandledRejection", () => sendResult("unhandled"));
process.on("message", (message: MutantRun) => {
  void run(message).then((hasPassed) => sendResult(hasPassed ? "passed" : "failed"));
});
