// How well the tests test: changes one place of a file at a time, and counts the changes that no test notices.
// Keeps the scores in docs/reference/mutation.md.
//
// node --conditions=@limmat/source tools/mutation/mutation.ts [subject…]   without a subject: all of them
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { setPriority } from "node:os";
import { basename, join, resolve } from "node:path";
import { equivalents } from "./equivalent.ts";
import { type Mutant, mutantsOf } from "./mutants.ts";
import { report, type Score, scoreLine } from "./report.ts";
import { type Subject, subjects } from "./subjects.ts";
import { Workshop } from "./workshop.ts";

const root = resolve(import.meta.dirname, "../..");
const read = (file: string): string => readFileSync(join(root, file), "utf8");
const workshop = new Workshop();

async function scoreOf({ name, sources, tests }: Subject): Promise<Score> {
  const files = globSync(sources, { cwd: root })
    .filter((file) => !file.endsWith(".test.ts"))
    .sort();
  const testFiles = tests.flatMap((glob) => globSync(glob, { cwd: root }).sort());
  const survivors: string[] = [];
  let tried = 0;
  const all = files.map((file) => [file, mutantsOf(read(file))] as const);
  for (const [file, mutants] of all) refuseStale(file, mutants);
  for (const [file, mutants] of all) {
    // The tests of the file itself come first: they are the most likely to notice.
    const isOwn = (test: string): number => Number(basename(test, ".test.ts") === basename(file, ".ts"));
    const inOrder = testFiles.toSorted((one, other) => isOwn(other) - isOwn(one));
    const limit = 5000 + 3 * (await timeOf(file, inOrder));
    for (const mutant of mutants.filter((one) => !isKnown(file, one))) {
      tried += 1;
      if (!(await workshop.passes({ file, code: mutant.code, tests: inOrder }, limit))) continue;
      survivors.push(`${file}:${mutant.line}  ${change(mutant)}`);
      console.log(`  ${survivors.at(-1)}`);
    }
    await timeOf(file, inOrder);
  }
  const score = { name, tried, survivors, leftOut: equivalents.filter(({ file }) => files.includes(file)) };
  console.log(`${name}: ${scoreLine(score)}`);
  return score;
}

/** Milliseconds that the tests take without any change. */
async function timeOf(file: string, tests: readonly string[]): Promise<number> {
  const start = performance.now();
  const code = stripTypeScriptTypes(read(file));
  if (!(await workshop.passes({ file, code, tests }, 60_000)))
    throw new Error(`The tests fail as they are: ${tests.join(" ")}`);
  return performance.now() - start;
}

/** An entry for code that has changed since would hide nothing today and something tomorrow. */
function refuseStale(file: string, mutants: readonly Mutant[]): void {
  for (const [was, becomes] of equivalents.flatMap((entry) => (entry.file === file ? entry.changes : []))) {
    if (!mutants.some((mutant) => mutant.was === was && mutant.becomes === becomes))
      throw new Error(`No change of ${file} is ${change({ was, becomes })}`);
  }
}

const isKnown = (file: string, { was, becomes }: Mutant): boolean =>
  equivalents.some(
    (entry) => entry.file === file && entry.changes.some(([from, to]) => from === was && to === becomes),
  );

const change = ({ was, becomes }: Pick<Mutant, "was" | "becomes">): string => `${was}  →  ${becomes || "(nothing)"}`;

const wanted = process.argv.slice(2);
const chosen = wanted.length === 0 ? subjects : subjects.filter(({ name }) => wanted.includes(name));
const page = join(root, "docs/reference/mutation.md");
const order = subjects.map(({ name }) => name);
setPriority(5);
try {
  for (const subject of chosen) {
    const score = await scoreOf(subject);
    writeFileSync(page, report(existsSync(page) ? readFileSync(page, "utf8") : "", [score], order));
  }
} finally {
  workshop.close();
}
