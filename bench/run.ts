// npm run bench -- [words…] [options]; bench/README.md says what they mean.
import { mkdirSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { contestants } from "./contestants/contestants.ts";
import { choose } from "./harness/choose.ts";
import { machine, pinClient } from "./harness/machine.ts";
import { measure, median, type Measurement } from "./harness/measure.ts";
import { canRun } from "./harness/server.ts";
import { createDatabases, dropDatabases } from "./work/database.ts";
import { works } from "./work/works.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "7" },
    seconds: { type: "string", default: "2" },
    "warm-up": { type: "string", default: "3" },
    connections: { type: "string", default: "64" },
    minutes: { type: "string", default: "60" },
    check: { type: "boolean", default: false },
    out: { type: "string" },
  },
});

const chosen = choose(positionals, works, contestants.filter(canRun));
const pairs = chosen.works
  .map((work) => ({
    work,
    entrants: chosen.contestants.filter(({ applications }) => applications.includes(work.application)),
  }))
  .filter(({ entrants }) => entrants.length > 0);
const rounds = values.check ? 1 : Number(values.rounds);
const seconds = values.check ? 0.2 : Number(values.seconds);
const warmUp = values.check ? 0.2 : Number(values["warm-up"]);
// A budget of minutes shortens all measurements alike, never the number of rounds.
const asked = pairs.reduce((sum, { entrants }) => sum + entrants.length * (warmUp + rounds * seconds + 1.5), 0) / 60;
const scale = Math.min(1, Number(values.minutes) / asked);
const effort = { rounds, seconds: seconds * scale, warmUp: warmUp * scale, connections: Number(values.connections) };
console.log(`${pairs.length} works, about ${Math.ceil(asked * scale)} minutes`);

pinClient();
const measurements: Measurement[] = [];
await createDatabases();
try {
  for (const { work, entrants } of pairs) {
    const found = await measure(work, entrants, effort, console.log);
    measurements.push(...found);
    for (const { contestant, host, rounds: all } of found) {
      if (all.length === 0) continue;
      const errors = all.reduce((sum, round) => sum + round.errors, 0);
      console.log(
        work.name.padEnd(18),
        `${contestant} (${host})`.padEnd(18),
        median(all.map(({ cpuPerRequest }) => cpuPerRequest))
          .toFixed(1)
          .padStart(9),
        "µs CPU",
        median(all.map(({ requestsPerSecond }) => requestsPerSecond))
          .toFixed(0)
          .padStart(8),
        `requests/s${errors > 0 ? `, ${errors} ERRORS` : ""}`,
      );
    }
  }
} finally {
  await dropDatabases();
}
if (!values.check) {
  mkdirSync(new URL("results/", import.meta.url), { recursive: true });
  const name = values.out ?? new Date().toISOString().slice(0, 10);
  const file = new URL(`results/${name}.json`, import.meta.url);
  writeFileSync(file, `${JSON.stringify({ machine, effort, measurements }, null, 1)}\n`);
}
if (measurements.some(({ failure }) => failure !== undefined)) process.exitCode = 1;
