// npm run report [-- results/<file>.json]: writes docs/benchmarks.md and its plots from the newest results.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { median, type Measurement } from "./harness/measure.ts";
import type { Results } from "./harness/results.ts";
import { type Figures, figuresOf, ratioOf } from "./report/figures.ts";
import { type Goal, goals } from "./report/goals.ts";
import { number, plot } from "./report/plot.ts";
import { table } from "./report/table.ts";

const folder = new URL("results/", import.meta.url);
const newest = readdirSync(folder)
  .filter((name) => /^\d{4}-.*\.json$/.test(name))
  .toSorted()
  .at(-1);
const file = process.argv[2] ?? (newest === undefined ? undefined : `results/${newest}`);
if (file === undefined) throw new Error("There are no results yet. Run: npm run bench");
const results = JSON.parse(readFileSync(new URL(file, import.meta.url), "utf8")) as Results;

const docs = new URL("../docs/", import.meta.url);
const plots = new URL("benchmarks/", docs);
rmSync(plots, { recursive: true, force: true });
mkdirSync(plots, { recursive: true });

const { machine, effort, versions } = results;
const groups: Readonly<Record<string, string>> = {
  http: "HTTP",
  files: "Static files",
  pages: "Pages and forms",
  database: "Database (TechEmpower)",
};

const page = [
  "# Benchmarks",
  "",
  "Limmat and other frameworks on equal tasks. `npm run report` in `bench/` generates this page from",
  `\`bench/${file}\`. [\`bench/README.md\`](../bench/README.md) describes the method and how to run the`,
  "benchmarks.",
  "",
  `Measured on ${results.date}: ${machine.cpu}, ${machine.cores} cores, ${machine.memory}, ${machine.os}, Node ${machine.node.slice(1)}, ` +
    `Bun ${versions["bun"]}, PostgreSQL ${versions["postgresql"]}; ${effort.connections} connections; ${effort.rounds} rounds of ` +
    `${number(effort.seconds)} s each, after ${number(effort.warmUp)} s of warm-up${
      machine.pinned ? "; server and client on separate cores" : ""
    }. Limmat ${results.limmat === "built" ? "as published" : "from source"}.`,
  "",
  "CPU is the CPU time per request of the server's process, all threads, as the process measures it. Other processes on the",
  "machine do not add to it. “× bare” is the ratio to hand-written code on the bare server of the same host. All figures are",
  "medians. Less is better, except for requests per second.",
  "",
  "## Goals",
  "",
  ...table(
    ["Benchmark", "Compared with", "Ratio", "Goal, at most", ""],
    [...goals.flatMap(goalRow), ...processGoals()],
  ),
  ...Object.entries(groups).flatMap(([group, title]) => {
    const works = results.works.filter((work) => work.group === group);
    return works.length === 0 ? [] : [`## ${title}`, "", ...works.flatMap(chapter)];
  }),
  ...processes(),
].join("\n");
writeFileSync(new URL("benchmarks.md", docs), `${page.trimEnd()}\n`);

function chapter({ name, title }: Results["works"][number]): readonly string[] {
  const figures = figuresOf(results, name);
  const failed = results.measurements.filter((item) => item.work === name && item.failure !== undefined);
  if (figures.length === 0) return [];
  save(
    name,
    `${title}: CPU per request`,
    "µs",
    figures.map((item) => [item, item.cpu]),
  );
  return [
    `### ${title}`,
    "",
    `![${title}](benchmarks/${name}.svg)`,
    "",
    ...table(
      ["", "CPU µs", "× bare", "requests/s", "p50 ms", "p99 ms", "memory MB", "errors"],
      figures.map((item) => [
        label(item),
        number(item.cpu),
        number(item.ratio),
        number(item.requestsPerSecond),
        number(item.p50 / 1000),
        number(item.p99 / 1000),
        number(item.rss / 1e6),
        String(item.errors),
      ]),
    ),
    ...failed.flatMap(({ contestant }) => [
      `${contestant} is left out: its responses differ from the expected ones.`,
      "",
    ]),
  ];
}

function processes(): readonly string[] {
  if (results.processes.length === 0) return [];
  const rows = results.processes.map((item) => ({
    ...item,
    footprint: results.footprints.find(({ contestant, host }) => contestant === item.contestant && host === item.host),
  }));
  save(
    "start-up",
    "Start to first response",
    "ms",
    rows.map((item) => [item, median(item.startUp)]),
  );
  save(
    "idle-memory",
    "Idle memory",
    "MB",
    rows.map((item) => [item, median(item.idleMemory) / 1e6]),
  );
  return [
    "## Start, memory, packages",
    "",
    "The application of the first benchmark: time from the start of the process to its first response, CPU time until then, and",
    "resident memory one second after ten responses. Packages are those that a user installs for a site with sessions, forms and",
    "views, without the database driver.",
    "",
    "![Start to first response](benchmarks/start-up.svg)",
    "",
    "![Idle memory](benchmarks/idle-memory.svg)",
    "",
    ...table(
      ["", "start ms", "start CPU ms", "memory MB", "packages", "installed MB", "versions"],
      rows.map((item) => [
        label(item),
        number(median(item.startUp)),
        number(median(item.startUpCpu)),
        number(median(item.idleMemory) / 1e6),
        String(item.footprint?.packages ?? ""),
        number((item.footprint?.bytes ?? 0) / 1e6),
        Object.entries(item.footprint?.versions ?? {})
          .map(([name, version]) => `${name} ${version}`)
          .join(", "),
      ]),
    ),
  ];
}

function ratioAgainst({ work, host, against }: Goal): number | undefined {
  const [contestant, otherWork = work] = against.split("/");
  const find = (name: string | undefined, where: string): Measurement | undefined =>
    results.measurements.find(
      (item) => item.contestant === name && item.work === where && item.host === host && item.rounds.length > 0,
    );
  const [ours, theirs] = [find("limmat", work), find(contestant, otherWork)];
  return ours === undefined || theirs === undefined ? undefined : ratioOf(ours, theirs);
}

function label({ contestant, host }: Pick<Figures, "contestant" | "host">): string {
  return host === "bun" && contestant !== "Bun.serve" ? `${contestant} (Bun)` : contestant;
}

function goalRow(goal: Goal): readonly (readonly string[])[] {
  const ratio = ratioAgainst(goal);
  const against = label({ ...goal, contestant: goal.against });
  return ratio === undefined
    ? []
    : [[goal.work, against, number(ratio), number(goal.atMost), verdict(ratio <= goal.atMost)]];
}

/** Rows of the goals for start, memory and packages. */
function processGoals(): readonly (readonly string[])[] {
  const find = (name: string): Results["processes"][number] | undefined =>
    results.processes.find(({ contestant, host }) => contestant === name && host === "node");
  const [ours, bare, fastify] = ["limmat", "node:http", "fastify"].map(find);
  const packages = results.footprints.find(({ contestant }) => contestant === "limmat")?.packages ?? NaN;
  if (ours === undefined || bare === undefined || fastify === undefined) return [];
  const start = (other: typeof ours): number => median(ours.startUp.map((time, n) => time / (other.startUp[n] ?? NaN)));
  const memory = (median(ours.idleMemory) - median(bare.idleMemory)) / 1e6;
  return [
    ["start-up", "node:http", number(start(bare)), "1.50", verdict(start(bare) <= 1.5)],
    ["start-up", "fastify", number(start(fastify)), "1.00", verdict(start(fastify) < 1)],
    ["idle memory", "node:http", `+ ${number(memory)} MB`, "+ 15 MB", verdict(memory <= 15)],
    ["packages", "", String(packages), "3", verdict(packages <= 3)],
  ];
}

function verdict(isReached: boolean): string {
  return isReached ? "reached" : "**missed**";
}

function save(
  name: string,
  title: string,
  unit: string,
  values: readonly (readonly [Pick<Figures, "contestant" | "host">, number])[],
): void {
  const bars = values.map(([item, value]) => ({ label: label(item), value, isOurs: item.contestant === "limmat" }));
  writeFileSync(
    new URL(`${name}.svg`, plots),
    plot(
      title,
      unit,
      bars.toSorted((a, b) => a.value - b.value),
    ),
  );
}
