// npm run bench -- [words…] [options], documented in README.md.
import { mkdirSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { contestants } from "./contestants/contestants.ts";
import { choose } from "./harness/choose.ts";
import { isBuilt } from "./harness/limmat.ts";
import { machine, pinClient } from "./harness/machine.ts";
import { measure, median, type Measurement } from "./harness/measure.ts";
import { footprint } from "./harness/packages.ts";
import { measureProcesses } from "./harness/process.ts";
import type { Results } from "./harness/results.ts";
import { bunVersion, canRun } from "./harness/server.ts";
import { createDatabases, dropDatabases, postgresqlVersion } from "./work/database.ts";
import { works } from "./work/works.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "7" },
    seconds: { type: "string", default: "2" },
    "warm-up": { type: "string", default: "3" },
    connections: { type: "string", default: "64" },
    minutes: { type: "string", default: "60" },
    out: { type: "string" },
    check: { type: "boolean", default: false },
  },
});

const chosen = choose(positionals, works, contestants.filter(canRun));
const heats = chosen.works
  .map((work) => ({
    work,
    entrants: chosen.contestants.filter(({ applications }) => applications.includes(work.application)),
  }))
  .filter(({ entrants }) => entrants.length > 0);
const rounds = values.check ? 1 : Number(values.rounds);
const seconds = values.check ? 0.2 : Number(values.seconds);
const warmUp = values.check ? 0.2 : Number(values["warm-up"]);
// A budget shortens all measurements equally, never the number of rounds.
const asked = heats.reduce((sum, { entrants }) => sum + entrants.length * (warmUp + rounds * seconds + 1), 0) / 60;
const scale = Math.min(1, Number(values.minutes) / asked);
const effort = { rounds, seconds: seconds * scale, warmUp: warmUp * scale, connections: Number(values.connections) };
console.log(
  `${heats.length} benchmarks, about ${Math.ceil(asked * scale)} minutes; limmat from ${isBuilt ? "dist" : "source"}`,
);

pinClient();
const measurements: Measurement[] = [];
let postgresql = "";
const usesDatabase = heats.some(({ work }) => work.group === "pages" || work.group === "database");
if (usesDatabase) await createDatabases();
try {
  postgresql = await postgresqlVersion();
  for (const { work, entrants } of heats) {
    const found = await measure(work, entrants, effort, console.log);
    measurements.push(...found);
    found.forEach(printMeasurement);
  }
} finally {
  if (usesDatabase) await dropDatabases();
}
if (!values.check) {
  const isFull = positionals.length === 0;
  const date = new Date().toISOString().slice(0, 10);
  const results: Results = {
    date,
    machine,
    versions: { postgresql, bun: bunVersion() },
    limmat: isBuilt ? "built" : "source",
    effort,
    works: heats.map(({ work: { name, group, title } }) => ({ name, group, title })),
    measurements,
    processes: isFull ? await measureProcesses(chosen.contestants, rounds) : [],
    footprints: chosen.contestants.map(footprint),
  };
  const folder = new URL("results/", import.meta.url);
  mkdirSync(folder, { recursive: true });
  const file = `${values.out ?? (isFull ? date : "partial")}.json`;
  writeFileSync(new URL(file, folder), `${JSON.stringify(results, undefined, 1)}\n`);
  console.log(`Wrote results/${file}`);
}
if (measurements.some(({ failure }) => failure !== undefined)) process.exitCode = 1;

function printMeasurement({ work, contestant, host, rounds: all }: Measurement): void {
  if (all.length === 0) return;
  const cpu = median(all.map(({ cpuPerRequest }) => cpuPerRequest));
  const rate = median(all.map(({ requestsPerSecond }) => requestsPerSecond));
  const errors = all.reduce((sum, round) => sum + round.errors, 0);
  console.log(
    work.padEnd(18),
    `${contestant} (${host})`.padEnd(18),
    `${cpu.toFixed(1).padStart(9)} µs CPU ${rate.toFixed(0).padStart(8)} requests/s`,
    errors > 0 ? `${errors} ERRORS` : "",
  );
}
