// npm run bench:database [-- words…] [options], documented in README.md.
import type { ChildProcess } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { parseArgs } from "node:util";
import { askChild, startChild } from "../harness/child.ts";
import { isBuilt } from "../harness/limmat.ts";
import { machine, pinClient } from "../harness/machine.ts";
import { median } from "../harness/measure.ts";
import type { Found, Question } from "./contestant.ts";
import { type Engine, engines, prepare } from "./data.ts";
import type { DatabaseResults, DatabaseRounds } from "./results.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "9" },
    seconds: { type: "string", default: "1" },
    "warm-up": { type: "string", default: "2" },
    out: { type: "string" },
  },
});
const works = ["find", "findNumber", "collect", "collectNumbers", "stream"] as const;
const words: readonly string[] = [...engines, ...works];
const unknown = positionals.find((word) => !words.includes(word));
if (unknown !== undefined) throw new Error(`Unknown word "${unknown}". Use: ${words.join(", ")}`);
/** Returns the words named on the command line, or all words if none is. */
const chosen = <Word extends string>(all: readonly Word[]): readonly Word[] => {
  const named = all.filter((word) => positionals.includes(word));
  return named.length > 0 ? named : all;
};
const rounds = Number(values.rounds);
const [seconds, warmUp] = [Number(values.seconds), Number(values["warm-up"])];
const versionOf = createRequire(import.meta.url);

pinClient();
console.log(`limmat from ${isBuilt ? "dist" : "source"}`);
const measurements: DatabaseRounds[] = [];
const versions: Record<string, string> = {};
for (const engine of chosen(engines)) await measureEngine(engine);
for (const name of ["pg", "mariadb", "kysely"]) {
  versions[name] = (versionOf(`../node_modules/${name}/package.json`) as { readonly version: string }).version;
}
const isFull = positionals.length === 0;
const date = new Date().toISOString().slice(0, 10);
const limmat = isBuilt ? "built" : "source";
const results: DatabaseResults = { date, machine, versions, limmat, effort: { rounds, seconds, warmUp }, measurements };
mkdirSync(new URL("../results/", import.meta.url), { recursive: true });
const file = `${values.out ?? (isFull ? `database-${date}` : "partial")}.json`;
writeFileSync(new URL(`../results/${file}`, import.meta.url), `${JSON.stringify(results, undefined, 1)}\n`);
console.log(`Wrote results/${file}`);

async function measureEngine(engine: Engine): Promise<void> {
  const { url, version, drop } = await prepare(engine);
  versions[engine === "mariadb" ? "mariadb server" : engine] = version;
  try {
    const names = engine === "postgresql" ? ["driver", "limmat", "kysely"] : ["driver", "limmat"];
    const entrants = await Promise.all(names.map(async (name) => ({ name, child: await start(name, engine, url) })));
    for (const { child } of entrants) await ask(child, { work: "check" });
    for (const work of chosen(works)) {
      if (work === "stream") continue;
      const found = new Map(names.map((name): [string, number[]] => [name, []]));
      for (const { child } of entrants) await ask(child, { work, milliseconds: warmUp * 1000 });
      for (let round = 0; round < rounds; round += 1) {
        const shift = round % entrants.length;
        for (const { name, child } of [...entrants.slice(shift), ...entrants.slice(0, shift)])
          found.get(name)?.push((await ask(child, { work, milliseconds: seconds * 1000 })).cpu);
      }
      for (const [contestant, cpu] of found) {
        measurements.push({ engine, work, contestant, cpu, memory: [] });
        const ratio = median(cpu.map((each, round) => each / (found.get("driver")?.[round] ?? NaN)));
        console.log(
          engine.padEnd(11),
          work.padEnd(15),
          contestant.padEnd(8),
          `${median(cpu).toFixed(2)} µs CPU, ${ratio.toFixed(2)} of the driver`,
        );
      }
    }
    for (const { child } of entrants) child.disconnect();
    if (chosen(works).includes("stream")) await measureStream(engine, url);
  } finally {
    await drop();
  }
}

/** Measures each stream in a new process, so that no other operation has enlarged its heap. */
async function measureStream(engine: Engine, url: string): Promise<void> {
  const [cpu, memory]: [number[], number[]] = [[], []];
  for (let round = 0; round < Math.min(rounds, 3); round += 1) {
    const child = await start("limmat", engine, url);
    const found = await ask(child, { work: "stream" });
    child.disconnect();
    cpu.push(found.cpu);
    memory.push(found.memory);
  }
  measurements.push({ engine, work: "stream", contestant: "limmat", cpu, memory });
  const most = (Math.max(...memory) / 1e6).toFixed(0);
  console.log(
    engine.padEnd(11),
    "stream".padEnd(24),
    `${median(cpu).toFixed(2)} µs CPU per row, at most ${most} MB above idle`,
  );
}

function start(name: string, engine: Engine, url: string): Promise<ChildProcess> {
  return startChild(new URL("contestant.ts", import.meta.url), [name, engine, url], ["--expose-gc"]);
}

function ask(child: ChildProcess, question: Question): Promise<Found> {
  return askChild(child, question);
}
