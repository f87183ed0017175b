// npm run bench -- [words…] [options], documented in README.md.
import { mkdirSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { contestants } from "./contestants/contestants.ts";
import { choose } from "./harness/choose.ts";
import { isBuilt } from "./harness/limmat.ts";
import { machine, pinClient } from "./harness/machine.ts";
import { measure, type Measurement } from "./harness/measure.ts";
import { footprint } from "./harness/packages.ts";
import { measureProcesses, type ProcessMeasurement, startedApplications } from "./harness/process.ts";
import { method, type Results } from "./harness/results.ts";
import { bunVersion, canRun } from "./harness/server.ts";
import { createDatabases, dropDatabases, postgresqlVersion, resetTodos } from "./work/database.ts";
import { suiteOf } from "./work/suites.ts";
import { usesDatabase } from "./work/work.ts";
import { works } from "./work/works.ts";
import { startSummary, summary } from "./report/summary.ts";

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

// The word `start` measures starts only.
const words = positionals.filter((word) => word !== "start");
const startsOnly = words.length < positionals.length;
const chosen = choose(words, works, contestants.filter(canRun));
const suite = suiteOf(positionals);
const isFull = positionals.length === 0 || suite !== undefined;
const heats = (startsOnly ? [] : chosen.works)
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
const measuresStarts = !values.check && (isFull || startsOnly);
const processes: ProcessMeasurement[] = [];
const hasDatabase = measuresStarts || heats.some(({ work }) => usesDatabase(work));
if (hasDatabase) await createDatabases();
try {
  postgresql = await postgresqlVersion();
  for (const { work, entrants } of heats) {
    const found = await measure(work, entrants, effort, console.log);
    measurements.push(...found);
    for (const line of summary(found)) console.log(line);
  }
  if (measuresStarts) {
    await resetTodos("postgresql");
    for (const application of startedApplications)
      processes.push(...(await measureProcesses(chosen.contestants, rounds, application)));
    for (const line of processes.map(startSummary)) console.log(line);
  }
} finally {
  if (hasDatabase) await dropDatabases();
}
if (!values.check) {
  const date = new Date().toISOString().slice(0, 10);
  const results: Results = {
    date,
    method,
    machine,
    versions: { postgresql, bun: bunVersion() },
    limmat: isBuilt ? "built" : "source",
    server: process.env["HTTP_SERVER"] ?? "net",
    effort,
    works: heats.map(({ work: { name, group, title } }) => ({ name, group, title })),
    measurements,
    processes,
    footprints: chosen.contestants.map(footprint),
  };
  const folder = new URL("results/", import.meta.url);
  mkdirSync(folder, { recursive: true });
  const file = `${values.out ?? (isFull ? [suite, date].filter((part) => part !== undefined).join("-") : "partial")}.json`;
  writeFileSync(new URL(file, folder), `${JSON.stringify(results, undefined, 1)}\n`);
  console.log(`Wrote results/${file}`);
}
if (measurements.some(({ failure }) => failure !== undefined)) process.exitCode = 1;
