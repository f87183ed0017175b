// The process in which trials run, one after another: each test file loads all of ours anew, one of
// them changed.
import * as fc from "fast-check";
import { readFileSync } from "node:fs";
import { registerHooks, stripTypeScriptTypes } from "node:module";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { passes } from "./test-runner.ts";
import type { Answer, Trial } from "./workshop.ts";

const root = resolve(import.meta.dirname, "../..");
const [ours, tests] = [pathToFileURL(join(root, "src/")).href, pathToFileURL(join(root, "test/")).href] as const;
const isOurs = (url = ""): boolean => url.startsWith(ours) || url.startsWith(tests);
const runner = import.meta.resolve("./test-runner.ts");
const sources = new Map<string, string>();

let number = 0;
let current: Trial | undefined;

registerHooks({
  resolve(specifier, context, next) {
    if (isOurs(context.parentURL) && /^node:test$|\/servers\/server\.ts$/.test(specifier))
      return { url: runner, shortCircuit: true };
    const found = next(specifier, context);
    return isOurs(found.url) ? { ...found, url: `${withoutNumber(found.url)}?trial=${number}` } : found;
  },
  load(url, context, next) {
    if (!isOurs(url) || !url.includes(".ts?trial=")) return next(url, context);
    const path = fileURLToPath(withoutNumber(url));
    const source = current !== undefined && path === join(root, current.file) ? current.code : sourceOf(path);
    return { format: "module", source, shortCircuit: true };
  },
});

const withoutNumber = (url: string): string => url.replace(/\?trial=\d+$/, "");

function sourceOf(path: string): string {
  const source = sources.get(path) ?? stripTypeScriptTypes(readFileSync(path, "utf8"));
  sources.set(path, source);
  return source;
}

async function run(trial: Trial): Promise<boolean> {
  current = trial;
  for (const test of trial.tests) {
    number += 1;
    if (!(await passes(() => import(pathToFileURL(join(root, test)).href)))) return false;
  }
  return true;
}

const answer = (value: Answer): void => void process.send?.(value);

// The same examples in every trial, and no search for the smallest one that fails.
fc.configureGlobal({ seed: 1, endOnFailure: true });
process.on("uncaughtException", () => answer("stray"));
process.on("unhandledRejection", () => answer("stray"));
process.on("message", (trial: Trial) => void run(trial).then((passed) => answer(passed ? "passed" : "failed")));
