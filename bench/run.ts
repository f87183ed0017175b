// npm run bench -- [words…] [--rounds 7] [--seconds 2] [--warm-up 3] [--connections 64] [--minutes 60] [--check]
import { parseArgs } from "node:util";
import { contestants } from "./contestants/contestants.ts";
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
    minutes: { type: "string", default: "90" },
    check: { type: "boolean", default: false },
  },
});

const chosenWorks = works;
const chosen = contestants.filter(canRun);
const effort = values.check
  ? { rounds: 1, seconds: 0.3, warmUp: 0.3, connections: 8 }
  : {
      rounds: Number(values.rounds),
      seconds: Number(values.seconds),
      warmUp: Number(values["warm-up"]),
      connections: Number(values.connections),
    };
void positionals;
void machine;
pinClient();
await createDatabases();
const results: Measurement[] = [];
try {
  for (const work of chosenWorks) {
    const r = await measure(
      work,
      chosen.filter((c) => c.applications.includes(work.application)),
      effort,
      console.log,
    );
    results.push(...r);
    for (const m of r)
      console.log(
        work.name.padEnd(18),
        m.contestant.padEnd(12),
        m.host,
        median(m.rounds.map((x) => x.requestsPerSecond))
          .toFixed(0)
          .padStart(8),
        median(m.rounds.map((x) => x.cpuPerRequest))
          .toFixed(1)
          .padStart(8),
        "µs",
        m.rounds.reduce((s, x) => s + x.errors, 0),
        "errors",
      );
  }
} finally {
  await dropDatabases();
}
