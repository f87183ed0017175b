// Mutation testing: changes one place of a file at a time, and counts the mutants that no test kills. Writes the scores to
// tools/mutation/scores.md, and fails if a score is below 90 %.
//
// npm run mutation -- [subject…]   without a subject: all of them
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { setPriority } from "node:os";
import { basename, join, resolve } from "node:path";
import { equivalentsOf, formatChange } from "./equivalent.ts";
import { MutantRunner } from "./mutant-runner.ts";
import { createMutants, type Mutant } from "./mutants.ts";
import { formatScore, killedShare, type Score, updatePage } from "./report.ts";
import { type Subject, subjects } from "./subjects.ts";

const root = resolve(import.meta.dirname, "../..");
const read = (file: string): string => readFileSync(join(root, file), "utf8");
const runner = new MutantRunner();

async function computeScore({ name, sources, tests }: Subject): Promise<Score> {
  const files = sources.flatMap(findFiles).filter((file) => !file.endsWith(".test.ts"));
  const testFiles = tests.flatMap(findFiles);
  let [mutantCount, survivorCount] = [0, 0];
  const mutantsByFile = files.map((file) => [file, createMutants(read(file))] as const);
  for (const [file, mutants] of mutantsByFile) refuseStaleEquivalents(file, mutants);
  for (const [file, mutants] of mutantsByFile) {
    // The test beside the file runs first, because it is the most likely to kill the mutant.
    const rank = (test: string): number => Number(basename(test, ".test.ts") === basename(file, ".ts"));
    const orderedTests = testFiles.toSorted((a, b) => rank(b) - rank(a));
    const timeoutMs = 5000 + 3 * (await measureTests(file, orderedTests));
    for (const mutant of mutants.filter((candidate) => !equivalentsOf(file).has(formatChange(candidate)))) {
      mutantCount += 1;
      if (!(await runner.passes({ file, code: mutant.code, tests: orderedTests }, timeoutMs))) continue;
      survivorCount += 1;
      console.log(`  ${file}:${mutant.line}  ${formatChange(mutant)}`);
    }
    await measureTests(file, orderedTests);
  }
  const score = { name, mutantCount, survivorCount };
  console.log(formatScore(score));
  return score;
}

/** Returns the files of a glob, sorted. Refuses a glob without files, such as one of a file that was renamed. */
function findFiles(glob: string): readonly string[] {
  const files = globSync(glob, { cwd: root }).sort();
  if (files.length === 0) throw new Error(`subjects.ts lists a file that does not exist: ${glob}`);
  return files;
}

/** Runs the tests without a mutation, and returns their duration in milliseconds. */
async function measureTests(file: string, tests: readonly string[]): Promise<number> {
  const startMs = performance.now();
  const code = stripTypeScriptTypes(read(file));
  if (!(await runner.passes({ file, code, tests }, 60_000)))
    throw new Error(`The tests fail without a mutation: ${tests.join(" ")}`);
  return performance.now() - startMs;
}

/** Refuses an entry without a mutant. Otherwise it could hide a different mutant after a later change of the code. */
function refuseStaleEquivalents(file: string, mutants: readonly Mutant[]): void {
  const found = new Set(mutants.map(formatChange));
  for (const change of equivalentsOf(file))
    if (!found.has(change)) throw new Error(`equivalent.txt lists a mutant of ${file} that does not exist: ${change}`);
}

/** Smallest share of killed mutants of a subject. */
const minShare = 0.9;

const names = process.argv.slice(2);
const selectedSubjects = names.length === 0 ? subjects : subjects.filter(({ name }) => names.includes(name));
const page = join(root, "tools/mutation/scores.md");
const order = subjects.map(({ name }) => name);
setPriority(5);
try {
  for (const subject of selectedSubjects) {
    const score = await computeScore(subject);
    if (killedShare(score) < minShare) process.exitCode = 1;
    writeFileSync(page, updatePage(existsSync(page) ? readFileSync(page, "utf8") : "", [score], order));
  }
} finally {
  runner.close();
}
