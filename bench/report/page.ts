import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { median } from "../harness/measure.ts";
import { method, type Results } from "../harness/results.ts";
import { groups } from "../work/work.ts";
import { conditions } from "./conditions.ts";
import { type Figures, figuresOf } from "./figures.ts";
import { type Goal, goalRow, processGoals } from "./goals.ts";
import { number, plot } from "./plot.ts";
import { spreadOf } from "./ratio.ts";
import { table } from "./table.ts";

/** Page of results. */
export interface PageOptions {
  readonly title: string;
  /** Name of the file and, for all but the main page, of its plots. */
  readonly name: string;
  readonly introduction: readonly string[];
  readonly goals: readonly Goal[];
  /** Conditions of these benchmarks, in addition to those of all. */
  readonly conditions?: readonly string[];
  /** Command that measures the results. */
  readonly command: string;
  /** Results and the path of their file, none before the first measurement. */
  readonly source: { readonly results: Results; readonly file: string } | undefined;
}

const docs = new URL("../../docs/", import.meta.url);

/** Writes a page of the documentation with its plots. */
export function writePage(page: PageOptions): void {
  const plots = page.name === "benchmarks" ? "benchmarks/" : `${page.name}/`;
  const lines = [`# ${page.title}`, "", ...page.introduction, ""];
  const isCurrent = page.source === undefined || page.source.results.method === method;
  if (page.source === undefined) lines.push(`Not measured yet: \`${page.command}\` in \`bench/\` measures it.`, "");
  else {
    const { results } = page.source;
    preparePlots(plots);
    lines.push(
      `\`npm run report\` in \`bench/\` generates this page from \`bench/${page.source.file}\`.`,
      "[`bench/README.md`](../bench/README.md) describes the method and how to run the benchmarks.",
      "",
      circumstances(results),
      "",
      ...(isCurrent ? [] : earlierMethod),
      "Ratios are medians of the ratios of each round, with the lowest and the highest. “× bare” is the ratio of CPU time to hand-written",
      "code on the bare server of the same host. All other figures are medians. Less is better, except for requests per second.",
      "",
      "## Goals",
      "",
      ...table(
        ["Benchmark", "Compared with", "Ratio", "Goal", ""],
        [...page.goals.flatMap((goal) => goalRow(results, goal)), ...processGoals(results)],
      ),
    );
  }
  if (isCurrent) {
    const common =
      page.name === "benchmarks" ? conditions : ["Those of [all benchmarks](benchmarks.md#conditions).", ""];
    lines.push("## Conditions", "", ...common, ...(page.conditions ?? []), "");
  }
  if (page.source !== undefined) lines.push(...chapters(page.source.results, plots));
  writeFileSync(new URL(`${page.name}.md`, docs), `${lines.join("\n").trimEnd()}\n`);
}

const earlierMethod: readonly string[] = [
  "**These results come from an earlier method.** The baseline was slower than an expert writes it, the statements of the peers had no names,",
  "and some of them sent entity tags that others did not. Ratios to the baseline and to peers with a database are therefore too favourable.",
  "The next run replaces them.",
  "",
];

/** Empties the folder of the plots. */
function preparePlots(plots: string): void {
  const folder = new URL(plots, docs);
  mkdirSync(folder, { recursive: true });
  for (const file of readdirSync(folder)) if (file.endsWith(".svg")) rmSync(new URL(file, folder));
}

function circumstances({ date, machine, versions, effort, limmat }: Results): string {
  return (
    `Measured on ${date}: ${machine.cpu}, ${machine.cores} cores, ${machine.memory}, ${machine.os}, Node ${machine.node.slice(1)}, ` +
    `Bun ${versions["bun"]}, PostgreSQL ${versions["postgresql"]}; ${effort.connections} connections unless the benchmark says so; ` +
    `${effort.rounds} rounds of ${number(effort.seconds)} s each, after ${number(effort.warmUp)} s of warm-up${
      machine.pinned ? "; server and client on separate cores" : ""
    }. Limmat ${limmat === "built" ? "as published" : "from source"}.`
  );
}

function chapters(results: Results, plots: string): readonly string[] {
  return [
    ...Object.entries(groups).flatMap(([group, title]) => {
      const works = results.works.filter((work) => work.group === group);
      return works.length === 0 ? [] : [`## ${title}`, "", ...works.flatMap((work) => chapter(results, work, plots))];
    }),
    ...starts(results, plots),
  ];
}

function chapter(results: Results, { name, title }: Results["works"][number], plots: string): readonly string[] {
  const figures = figuresOf(results, name);
  const failed = results.measurements.filter((item) => item.work === name && item.failure !== undefined);
  if (figures.length === 0) return [];
  savePlot(
    `${plots}${name}.svg`,
    `${title}: CPU per request`,
    "µs",
    figures.map((item) => [item, item.cpu]),
  );
  return [
    `### ${title}`,
    "",
    `![${title}](${plots}${name}.svg)`,
    "",
    ...table(
      ["", "CPU µs", "× bare", "requests/s", "p99 ms", "memory MB"],
      figures.map((item) => [
        label(item),
        number(item.cpu),
        item.toBare.length === 0 ? "–" : spreadOf(item.toBare),
        number(item.requestsPerSecond),
        number(item.p99 / 1000),
        number(item.rss / 1e6),
      ]),
    ),
    ...figures.flatMap((item) =>
      item.errors === 0 ? [] : [`${label(item)}: ${item.errors.toLocaleString("en")} requests failed.`, ""],
    ),
    ...failed.flatMap(({ contestant }) => [
      `${contestant} is left out: its responses differ from the expected ones.`,
      "",
    ]),
  ];
}

const startTitles: Readonly<Record<string, string>> = {
  json: "the application of the first benchmark",
  "todos-postgresql": "a whole application with pages, sessions, forms and the database",
};

function starts(results: Results, plots: string): readonly string[] {
  if (results.processes.length === 0) return [];
  return [
    "## Start, memory, packages",
    "",
    "Time from the start of the process to its first response, CPU time until then, and resident memory one second after ten responses.",
    "Packages are those that a user installs for a site with sessions, forms and views, without the database driver.",
    "",
    ...Object.keys(startTitles).flatMap((application) => start(results, application, plots)),
  ];
}

function start(results: Results, application: string, plots: string): readonly string[] {
  const rows = results.processes.filter((item) => (item.application ?? "json") === application);
  if (rows.length === 0) return [];
  const [timePlot, memoryPlot] = ["start-up", "idle-memory"].map((name) =>
    application === "json" ? `${plots}${name}.svg` : `${plots}${name}-${application}.svg`,
  ) as [string, string];
  savePlot(
    timePlot,
    "Start to first response",
    "ms",
    rows.map((item) => [item, median(item.startUp)]),
  );
  savePlot(
    memoryPlot,
    "Idle memory",
    "MB",
    rows.map((item) => [item, median(item.idleMemory) / 1e6]),
  );
  return [
    `### Start of ${startTitles[application]}`,
    "",
    `![Start to first response](${timePlot})`,
    "",
    `![Idle memory](${memoryPlot})`,
    "",
    ...table(
      ["", "start ms", "start CPU ms", "memory MB", "packages", "installed MB", "versions"],
      rows.map((item) => {
        const footprint = results.footprints.find(
          ({ contestant, host }) => contestant === item.contestant && host === item.host,
        );
        return [
          label(item),
          number(median(item.startUp)),
          number(median(item.startUpCpu)),
          number(median(item.idleMemory) / 1e6),
          String(footprint?.packages ?? ""),
          number((footprint?.bytes ?? 0) / 1e6),
          Object.entries(footprint?.versions ?? {})
            .map(([name, version]) => `${name} ${version}`)
            .join(", "),
        ];
      }),
    ),
  ];
}

type Labelled = Pick<Figures, "contestant" | "host">;

function label({ contestant, host }: Labelled): string {
  return host === "bun" && !contestant.startsWith("Bun.serve") ? `${contestant} (Bun)` : contestant;
}

function savePlot(path: string, title: string, unit: string, values: readonly (readonly [Labelled, number])[]): void {
  const bars = values.map(([item, value]) => ({ label: label(item), value, isOurs: item.contestant === "limmat" }));
  writeFileSync(
    new URL(path, docs),
    plot(
      title,
      unit,
      bars.toSorted((a, b) => a.value - b.value),
    ),
  );
}
