// Load tests that take minutes: `npm run soak`. The test suite runs the same with small counts.
// `npm run soak -- <part>... --scale 0.01 --seed 7` runs some parts with a hundredth of the counts and the seed of an earlier run.
import { parseArgs } from "node:util";
import { type Part, parts } from "./parts.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { scale: { type: "string", default: "1" }, seed: { type: "string" } },
});
const scale = Number(values.scale);
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const unknown = positionals.filter((name) => !(name in parts));
if (unknown.length > 0 || !(scale > 0) || !Number.isInteger(seed)) {
  console.error(`Usage: npm run soak -- [${Object.keys(parts).join("] [")}] [--scale <factor>] [--seed <integer>]`);
  process.exit(2);
}

let failures = 0;
for (const [name, part] of Object.entries<Part>(parts)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  const start = performance.now();
  const report = (isGood: boolean, line: string): void => {
    if (!isGood) failures++;
    const seconds = Math.round((performance.now() - start) / 1000);
    console.log(`${isGood ? "ok    " : "FAILED"} ${name}: ${line} (${seconds} s, --seed ${seed})`);
  };
  try {
    const { problems, result } = await part({ scale, seed });
    report(problems.length === 0, [result, ...problems.map((problem) => `\n       ${problem}`)].join(""));
  } catch (error) {
    report(false, error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
}
process.exit(failures === 0 ? 0 : 1);
