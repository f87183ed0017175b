// npm run bench:table [-- words…] [options], documented in README.md.
import type { ChildProcess } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { parseArgs } from "node:util";
import { askChild, startChild } from "../../harness/child.ts";
import { isBuilt } from "../../harness/limmat.ts";
import { machine, pinClient } from "../../harness/machine.ts";
import { median } from "../../harness/measure.ts";
import { type Engine, engines, prepare } from "../data.ts";
import { prepareTables } from "./data.ts";
import type { Found, Question } from "./process.ts";
import type { TableResults, TableRounds } from "./results.ts";
import { type TableWork, tableWorks, workGroups } from "./works.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "9" },
    seconds: { type: "string", default: "0.5" },
    "warm-up": { type: "string", default: "1" },
    out: { type: "string" },
  },
});
/** Contestants of each database. Those beside the driver speak to PostgreSQL in the packages that are installed here. */
const contestants: Readonly<Record<Engine, readonly string[]>> = {
  postgresql: ["driver", "limmat", "kysely", "drizzle", "lucid", "prisma"],
  mariadb: ["driver", "limmat"],
  sqlite: ["driver", "limmat"],
};
const words: readonly string[] = [...engines, ...tableWorks, ...contestants.postgresql];
const unknown = positionals.find((word) => !words.includes(word));
if (unknown !== undefined) throw new Error(`Unknown word "${unknown}". Use: ${words.join(", ")}`);
/** Returns the words named on the command line, or all words if none is. */
const chosen = <Word extends string>(all: readonly Word[]): readonly Word[] => {
  const named = all.filter((word) => positionals.includes(word));
  return named.length > 0 ? named : all;
};
const effort = { rounds: Number(values.rounds), seconds: Number(values.seconds), warmUp: Number(values["warm-up"]) };
const requireFile = createRequire(import.meta.url);

pinClient();
console.log(`limmat from ${isBuilt ? "dist" : "source"}`);
const measurements: TableRounds[] = [];
const versions: Record<string, string> = {};
for (const engine of chosen(engines)) await measureEngine(engine);
for (const name of ["pg", "mariadb", "kysely", "drizzle-orm", "@adonisjs/lucid", "@prisma/client"]) {
  const file = requireFile(`../../node_modules/${name}/package.json`) as { readonly version: string };
  versions[name] = file.version;
}
const date = new Date().toISOString().slice(0, 10);
const results: TableResults = {
  date,
  machine,
  versions,
  limmat: isBuilt ? "built" : "source",
  effort,
  measurements,
};
mkdirSync(new URL("../../results/", import.meta.url), { recursive: true });
const file = `${values.out ?? (positionals.length === 0 ? `database-table-${date}` : "partial")}.json`;
writeFileSync(new URL(`../../results/${file}`, import.meta.url), `${JSON.stringify(results, undefined, 1)}\n`);
console.log(`Wrote results/${file}`);

async function measureEngine(engine: Engine): Promise<void> {
  const { url, version, drop } = await prepare(engine);
  versions[engine === "mariadb" ? "mariadb server" : engine] = version;
  const entrants: Entrant[] = [];
  try {
    await prepareTables(engine, url);
    for (const name of chosen(contestants[engine])) {
      const child = await startChild(new URL("process.ts", import.meta.url), [name, engine, url]);
      entrants.push({ name, child });
      await ask(child, { work: "check" });
    }
    const works = chosen(tableWorks);
    for (const group of workGroups)
      await measureWorks(
        engine,
        works.filter((work) => group.includes(work)),
        entrants,
      );
  } finally {
    for (const { child } of entrants) if (child.connected) child.disconnect();
    await drop();
  }
}

interface Entrant {
  readonly name: string;
  readonly child: ChildProcess;
}

/** Measures operations in the same rounds, so that they can be compared with one another. */
async function measureWorks(engine: Engine, works: readonly TableWork[], entrants: readonly Entrant[]): Promise<void> {
  const turns = works.flatMap((work) =>
    entrants
      .filter(({ name }) => work !== "page2" || name === "driver" || name === "limmat")
      .map(({ name, child }) => ({ work, name, child, found: [] as Found[] })),
  );
  for (const { work, child } of turns) await ask(child, { work, milliseconds: effort.warmUp * 1000 });
  for (let round = 0; round < effort.rounds; round += 1) {
    const shift = round % Math.max(1, turns.length);
    for (const { work, child, found } of [...turns.slice(shift), ...turns.slice(0, shift)])
      found.push(await ask(child, { work, milliseconds: effort.seconds * 1000 }));
  }
  for (const { work, name, found } of turns) {
    const [cpu, elapsed] = [found.map((round) => round.cpu), found.map((round) => round.elapsed)];
    measurements.push({ engine, work, contestant: name, cpu, elapsed });
    const driver = turns.find((turn) => turn.work === work && turn.name === "driver");
    const ratios = cpu.map((value, round) => value / (driver?.found[round]?.cpu ?? NaN)).toSorted((a, b) => a - b);
    console.log(
      engine.padEnd(11),
      work.padEnd(10),
      name.padEnd(8),
      `${median(cpu).toFixed(1)} µs CPU, ${median(elapsed).toFixed(0)} µs in all, ${median(ratios).toFixed(2)} of the driver`,
      `(${ratios[0]?.toFixed(2)}–${ratios.at(-1)?.toFixed(2)})`,
    );
  }
}

function ask(child: ChildProcess, question: Question): Promise<Found> {
  return askChild(child, question);
}
