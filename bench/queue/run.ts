// npm run bench:queue [-- words…] [options], documented in README.md.
import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { parseArgs } from "node:util";
import { type Engine, prepare } from "../database/data.ts";
import { askChild, startChild } from "../harness/child.ts";
import { isBuilt } from "../harness/limmat.ts";
import { machine, pinClient } from "../harness/machine.ts";
import { median } from "../harness/measure.ts";
import type { Found, Question, WorkName } from "./contestant.ts";
import type { QueueResults, QueueRounds } from "./results.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: "string", default: "9" }, out: { type: "string" } },
});
// Benchmarks with the number of jobs of one round.
const works: Readonly<Record<WorkName, number>> = { dispatch: 2000, dispatchAll: 10_000, through: 5000, wait: 20 };
const contestants: readonly (readonly [name: string, engine: Engine])[] = [
  ["limmat", "postgresql"],
  ["limmat", "mariadb"],
  ["limmat", "sqlite"],
  ["graphile-worker", "postgresql"],
  ["pg-boss", "postgresql"],
];
const words = [...Object.keys(works), ...contestants.flat()];
const unknown = positionals.find((word) => !words.includes(word));
if (unknown !== undefined) throw new Error(`Unknown word "${unknown}". Use: ${[...new Set(words)].join(", ")}`);
/** Returns the items named on the command line, or all items if none is. */
const chosen = <Item>(all: readonly Item[], name: (item: Item) => string): readonly Item[] => {
  const named = all.filter((item) => positionals.includes(name(item)));
  return named.length > 0 ? named : all;
};
const entrants = chosen(
  chosen(contestants, ([name]) => name),
  ([, engine]) => engine,
);
const rounds = Number(values.rounds);

pinClient();
console.log(`limmat from ${isBuilt ? "dist" : "source"}`);
const measurements: QueueRounds[] = [];
const versions: Record<string, string> = {};
const versionOf = createRequire(import.meta.url);
for (const name of ["graphile-worker", "pg-boss"])
  versions[name] = (versionOf(`../node_modules/${name}/package.json`) as { readonly version: string }).version;
for (const work of chosen(Object.keys(works) as WorkName[], (name) => name)) await measureWork(work);
const isFull = positionals.length === 0;
const date = new Date().toISOString().slice(0, 10);
const results: QueueResults = { date, machine, versions, limmat: isBuilt ? "built" : "source", rounds, measurements };
mkdirSync(new URL("../results/", import.meta.url), { recursive: true });
const file = `${values.out ?? (isFull ? `queue-${date}` : "partial")}.json`;
writeFileSync(new URL(`../results/${file}`, import.meta.url), `${JSON.stringify(results, undefined, 1)}\n`);
console.log(`Wrote results/${file}`);

/** Measures all contestants in one benchmark, in turn. Each has its own process and tables. */
async function measureWork(work: WorkName): Promise<void> {
  const engines = new Map<Engine, Awaited<ReturnType<typeof prepare>>>();
  try {
    for (const [, engine] of entrants) {
      if (!engines.has(engine)) engines.set(engine, await prepare(engine));
      versions[engine] = engines.get(engine)?.version ?? "";
    }
    const running = await Promise.all(
      entrants.map(async ([name, engine]) => {
        const args = [name, engine, engines.get(engine)?.url ?? "", work];
        const child = await startChild(new URL("contestant.ts", import.meta.url), args);
        return { name, engine, child, found: [] as Found[] };
      }),
    );
    const question: Question = { jobs: works[work] };
    for (const { child } of running) await askChild(child, question);
    for (let round = 0; round < rounds; round += 1) {
      const shift = round % running.length;
      for (const { child, found } of [...running.slice(shift), ...running.slice(0, shift)])
        found.push(await askChild<Found>(child, question));
    }
    for (const { name, engine, child, found } of running) {
      child.disconnect();
      measurements.push({ work, contestant: name, engine, rounds: found });
      const [cpu, time] = [median(found.map((round) => round.cpu)), median(found.map((round) => round.time))];
      console.log(
        work.padEnd(12),
        `${name} (${engine})`.padEnd(30),
        `${cpu.toFixed(1).padStart(8)} µs CPU per job`,
        work === "wait" ? `${(time / 1000).toFixed(1)} ms` : `${(1e6 / time).toFixed(0).padStart(7)} jobs/s`,
      );
    }
  } finally {
    for (const { drop } of engines.values()) await drop();
  }
}
