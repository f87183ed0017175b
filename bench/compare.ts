// npm run bench:compare -- <base> <head> [words…] [options]: compares two versions of limmat, documented in README.md.
import { parseArgs } from "node:util";
import { type Contestant, contestants } from "./contestants/contestants.ts";
import { checkOut, type Checkout } from "./harness/checkout.ts";
import { choose } from "./harness/choose.ts";
import { hookFlags } from "./harness/limmat.ts";
import { pinClient } from "./harness/machine.ts";
import { measure } from "./harness/measure.ts";
import { comparisonOf } from "./report/comparison.ts";
import { createDatabases, dropDatabases } from "./work/database.ts";
import { works } from "./work/works.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "9" },
    seconds: { type: "string", default: "2" },
    "warm-up": { type: "string", default: "3" },
    connections: { type: "string", default: "64" },
    threshold: { type: "string", default: "1.05" },
  },
});
const [base, head, ...words] = positionals;
if (base === undefined || head === undefined) {
  throw new Error("Usage: npm run bench:compare -- <base> <head> [words…]. Both are revisions or folders.");
}
const threshold = Number(values.threshold);
const effort = {
  rounds: Number(values.rounds),
  seconds: Number(values.seconds),
  warmUp: Number(values["warm-up"]),
  connections: Number(values.connections),
};
const limmat = contestants.filter(({ name, host }) => name === "limmat" && host === "node");
const defaultWords = ["full-stack", "routes", "body-1k", "static"];
const chosen = choose(words.length === 0 ? defaultWords : words, works, limmat);

const versions: Checkout[] = [];
let failures = 0;
try {
  for (const version of [base, head]) versions.push(checkOut(version));
  const [baseVersion, headVersion] = versions as [Checkout, Checkout];
  console.log(
    `CPU time per request of ${headVersion.name}, divided by that of ${baseVersion.name}: median (lowest–highest)`,
  );
  const entrants = [asContestant("base", baseVersion), asContestant("head", headVersion)];
  pinClient();
  await createDatabases();
  for (const work of chosen.works) {
    const comparison = comparisonOf(work.name, await measure(work, entrants, effort, console.log), threshold);
    console.log(comparison.line);
    if (comparison.isFailed) failures += 1;
  }
} finally {
  await dropDatabases();
  for (const version of versions) version.remove();
}
if (failures > 0) {
  console.log(`${failures} benchmarks are slower than ${threshold} of the base, or fail.`);
  process.exitCode = 1;
}

function asContestant(name: string, { folder }: Checkout): Contestant {
  const [contestant] = limmat as [Contestant];
  return {
    ...contestant,
    name,
    flags: hookFlags,
    environment: { ...contestant.environment, BENCH_LIMMAT: folder },
  };
}
