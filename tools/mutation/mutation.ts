// How well the tests test: changes one place of a file at a time, and counts the changes that no test notices.
//
// node --conditions=@limmat/source tools/mutation/mutation.ts [subject…]   writes docs/reference/mutation.md for all subjects
import { globSync, readFileSync, writeFileSync } from "node:fs";
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
  const times = await timesOf(files[0] ?? "", globSync(tests, { cwd: root }));
  const limit = 5000 + 3 * [...times.values()].reduce((sum, time) => sum + time, 0);
  const survivors: string[] = [];
  let [tried, equivalent] = [0, 0];
  for (const file of files) {
    const mutants = mutantsOf(read(file));
    refuseStale(file, mutants);
    const inOrder = [...times.keys()].sort((one, other) => rank(file, one, times) - rank(file, other, times));
    for (const mutant of mutants) {
      if (isKnown(file, mutant)) equivalent += 1;
      else {
        tried += 1;
        if (!(await workshop.passes({ file, code: mutant.code, tests: inOrder }, limit))) continue;
        survivors.push(`${file}:${mutant.line}  ${change(mutant)}`);
        console.log(`  ${survivors.at(-1)}`);
      }
    }
  }
  const score = { name, tried, equivalent, survivors };
  console.log(scoreLine(score));
  return score;
}

/** Milliseconds that each test file takes without any change. */
async function timesOf(file: string, tests: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const code = stripTypeScriptTypes(read(file));
  const times = new Map<string, number>();
  for (const test of tests) {
    const start = performance.now();
    if (!(await workshop.passes({ file, code, tests: [test] }, 60_000))) throw new Error(`${test} fails as it is`);
    times.set(test, performance.now() - start);
  }
  return times;
}

/** The tests of the file itself come first, and then the quick ones: most changes are noticed by several. */
const rank = (file: string, test: string, times: ReadonlyMap<string, number>): number =>
  basename(test, ".test.ts") === basename(file, ".ts") ? 0 : (times.get(test) ?? 0);

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
setPriority(5);
try {
  const scores: Score[] = [];
  for (const subject of chosen) scores.push(await scoreOf(subject));
  if (wanted.length === 0) writeFileSync(join(root, "docs/reference/mutation.md"), report(scores, equivalents));
} finally {
  workshop.close();
}
