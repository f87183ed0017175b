// How well the tests test: changes one place of a file at a time, and counts the changes that no test notices.
//
// node --conditions=@limmat/source tools/mutation/mutation.ts [subject…]   writes docs/reference/mutation.md for all subjects
import { spawn } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type Mutant, mutantsOf } from "./mutants.ts";
import { type Subject, subjects } from "./rooms.ts";

const root = resolve(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "limmat-mutation-"));
const longest = 30_000;

interface Score {
  readonly name: string;
  readonly tried: number;
  readonly noticed: number;
  readonly survivors: readonly string[];
}

/** Whether the tests fail, or never end, with this code in the place of the file. */
function isNoticed(file: string, code: string, tests: readonly string[]): Promise<boolean> {
  const path = join(folder, "mutant.js");
  writeFileSync(path, code);
  const hook = join(import.meta.dirname, "hook.ts");
  const options = [
    "--conditions=@limmat/source",
    "--import",
    hook,
    "--test",
    "--test-isolation=none",
    "--test-reporter=tap",
  ];
  const child = spawn(process.execPath, [...options, ...tests], {
    cwd: root,
    env: { ...process.env, MUTANT_FILE: join(root, file), MUTANT_CODE: path },
    stdio: "ignore",
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), longest);
  return new Promise((done) => {
    child.once("exit", (status) => {
      clearTimeout(timer);
      done(status !== 0);
    });
  });
}

async function scoreOf({ name, sources, tests }: Subject): Promise<Score> {
  const files = globSync(sources, { cwd: root })
    .filter((file) => !file.endsWith(".test.ts"))
    .sort();
  const testFiles = globSync(tests, { cwd: root });
  const all = files.flatMap((file) =>
    mutantsOf(readFileSync(join(root, file), "utf8")).map((mutant) => ({ file, mutant })),
  );
  const [first = ""] = files;
  const original = stripTypeScriptTypes(readFileSync(join(root, first), "utf8"));
  if (await isNoticed(first, original, testFiles)) throw new Error(`The tests of ${name} fail without any change`);
  const survivors: string[] = [];
  for (const { file, mutant } of all) {
    if (!(await isNoticed(file, mutant.code, testFiles))) survivors.push(describe(file, mutant));
  }
  const score = { name, tried: all.length, noticed: all.length - survivors.length, survivors };
  console.log(line(score));
  for (const survivor of survivors) console.log(`  ${survivor}`);
  return score;
}

const describe = (file: string, { line: number, from, to }: Mutant): string =>
  `${file}:${number}  ${from}  →  ${to || "(nothing)"}`;
const percent = ({ tried, noticed }: Score): string => `${((100 * noticed) / Math.max(1, tried)).toFixed(1)} %`;
const line = (score: Score): string => `${score.name}: ${score.noticed} of ${score.tried} noticed, ${percent(score)}`;

function report(scores: readonly Score[]): string {
  return [
    "# How well the tests test",
    "",
    "Each row counts programs that differ from ours in one place, such as `<` for `<=`, a condition that always holds, or an empty",
    "text, and how many of them the tests noticed. Made by `node --conditions=@limmat/source tools/mutation/mutation.ts`. Types,",
    "comments, messages and regular expressions are left alone. Not every survivor is a gap: some changes make no difference.",
    "",
    "| Module | Changes | Noticed | Score |",
    "| --- | ---: | ---: | ---: |",
    ...scores.map((score) => `| ${score.name} | ${score.tried} | ${score.noticed} | ${percent(score)} |`),
    "",
  ].join("\n");
}

const wanted = process.argv.slice(2);
const chosen = wanted.length === 0 ? subjects : subjects.filter(({ name }) => wanted.includes(name));
try {
  const scores: Score[] = [];
  for (const subject of chosen) scores.push(await scoreOf(subject));
  if (wanted.length === 0) writeFileSync(join(root, "docs/reference/mutation.md"), report(scores));
} finally {
  rmSync(folder, { recursive: true });
}
