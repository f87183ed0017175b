import { writeFileSync } from "node:fs";
import { median } from "../harness/measure.ts";
import type { ProcessMeasurement } from "../harness/process.ts";
import { method, type Results } from "../harness/results.ts";
import { groups } from "../work/work.ts";
import { conditions } from "./conditions.ts";
import { figureTables, label } from "./figures.ts";
import { type Goal, goalList, goalRow, processGoals } from "./goals.ts";
import { number } from "./number.ts";
import { table } from "./table.ts";

/** Page of results. */
export interface PageOptions {
  readonly title: string;
  /** Name of the file without its ending. */
  readonly name: string;
  readonly introduction: readonly string[];
  readonly goals: readonly Goal[];
  /** Conditions of these benchmarks, in addition to those of all. */
  readonly conditions?: readonly string[];
  /** True if the page shows starts. */
  readonly hasStarts: boolean;
  /** True if the page shows the packages of all contestants. */
  readonly hasPackages?: boolean;
  /** True if one table shows the benchmarks of all groups, for pages whose contestants are the same in each. */
  readonly hasOneTable?: boolean;
  /** Command that measures the results. */
  readonly command: string;
  /** Results and the path of their file, none before the first measurement. */
  readonly source: { readonly results: Results; readonly file: string } | undefined;
}

/** Writes a page of the documentation. */
export function writePage(page: PageOptions): void {
  const { source } = page;
  const isCurrent = source === undefined || source.results.method === method;
  const lines = [
    `# ${page.title}`,
    "",
    ...page.introduction,
    "",
    ...(source === undefined
      ? [`Not measured yet: \`${page.command}\` in \`bench/\` measures it.`, ""]
      : [
          ...circumstances(source.results, source.file),
          ...(isCurrent ? [] : earlierMethod),
          ...goals(source.results, page),
        ]),
    ...(isCurrent ? conditionsOf(page) : []),
    ...(source === undefined
      ? []
      : [...chapters(source.results, page), ...(page.hasStarts ? starts(source.results, page) : [])]),
  ];
  writeFileSync(new URL(`../../docs/${page.name}.md`, import.meta.url), `${lines.join("\n").trimEnd()}\n`);
}

const earlierMethod: readonly string[] = [
  "**These results come from an earlier method.** The baseline was slower than an expert writes it, the statements of the peers had no names,",
  "and some of them sent entity tags that others did not. Ratios to the baseline and to peers with a database are therefore too favourable.",
  "The next run replaces them.",
  "",
];

function circumstances(
  { date, machine, versions, effort, limmat, server = "node" }: Results,
  file: string,
): readonly string[] {
  return [
    `\`npm run report\` in \`bench/\` writes this page from \`bench/${file}\` ([method](../bench/README.md)).`,
    "",
    `Measured on ${date}: ${machine.cpu}, ${machine.cores} cores, ${machine.memory}, ${machine.os}, Node ${machine.node.slice(1)}, ` +
      `Bun ${versions["bun"]}, PostgreSQL ${versions["postgresql"]}; ${effort.connections} connections unless the benchmark says so; ` +
      `${effort.rounds} rounds of ${number(effort.seconds)} s each, after ${number(effort.warmUp)} s of warm-up${
        machine.pinned ? "; server and client on separate cores" : ""
      }. Limmat ${limmat === "built" ? "as published" : "from source"}, with \`HTTP_SERVER=${server}\`.`,
    "",
  ];
}

/** Meaning of the goals of all pages. */
const goalLegend: readonly string[] = [
  "Ratios of the CPU time of limmat to that of the other, unless another figure is named: the median of the ratios of the rounds, with the",
  "lowest and the highest. Where no goal is named, it is at most 1.00.",
];

function goals(results: Results, page: PageOptions): readonly string[] {
  return [
    "## Goals",
    "",
    ...(page.name === "benchmarks" ? goalLegend : ["Ratios as on the page of [all benchmarks](benchmarks.md#goals)."]),
    "",
    ...goalList([
      ...page.goals.flatMap((goal) => goalRow(results, goal)),
      ...(page.hasStarts ? processGoals(results) : []),
    ]),
    "",
  ];
}

const conditionsOf = ({ name, conditions: others = [] }: PageOptions): readonly string[] => [
  "## Conditions",
  "",
  ...(name === "benchmarks" ? conditions : ["Those of [all benchmarks](benchmarks.md#conditions).", ""]),
  ...others,
  "",
];

/** Groups whose requests per second follow from the CPU time, or from a fixed rate, as `conditions` says. */
const limitedByProcess: readonly string[] = ["http", "files", "bodies", "wire", "load"];

function chapters(results: Results, { hasOneTable = false }: PageOptions): readonly string[] {
  const parts = hasOneTable ? [["", "Figures"] as const] : Object.entries(groups);
  return parts.flatMap(([group, title]) => {
    const works = hasOneTable ? results.works : results.works.filter((work) => work.group === group);
    if (works.length === 0) return [];
    const names = works.map(({ name }) => name);
    const figures = [
      "CPU µs",
      ...(limitedByProcess.includes(group) ? [] : ["requests/s"]),
      ...(group === "load" ? ["p99 ms", "memory MB"] : []),
    ];
    return [
      `## ${title}`,
      "",
      ...works.map((work, index) => `- **${work.name}**: ${shortTitle(work.title, works[index - 1]?.title)}`),
      "",
      ...figureTables(results, names, figures),
      ...names.flatMap((name) => failures(results, name)),
    ];
  });
}

/** Returns a title without the part after a colon, or before a semicolon, that the title before it has as well. */
function shortTitle(title: string, previous = ""): string {
  const [, head, detail] = /^(.*): (.*)$/.exec(title) ?? [];
  if (head !== undefined && previous.endsWith(`: ${detail}`)) return head;
  const [, same, difference] = /^(.*); (.*)$/.exec(title) ?? [];
  return same !== undefined && previous.startsWith(`${same}; `) ? `The same, ${difference}` : title;
}

/** Returns the lines about failed requests and about contestants that were left out. */
function failures(results: Results, work: string): readonly string[] {
  const measurements = results.measurements.filter((item) => item.work === work);
  const failed = measurements.flatMap((item) => {
    const errors = item.rounds.reduce((sum, round) => sum + round.errors, 0);
    return errors === 0 ? [] : [`${errors.toLocaleString("en")} of ${label(item)}`];
  });
  const omitted = measurements.filter(({ failure }) => failure !== undefined).map(label);
  return [
    ...(failed.length === 0 ? [] : [`Failed requests of ${work}: ${failed.join(", ")}.`, ""]),
    ...(omitted.length === 0 ? [] : [`Left out of ${work}, because responses differ: ${omitted.join(", ")}.`, ""]),
  ];
}

const startTitles: Readonly<Record<string, string>> = {
  json: "the application of json",
  "todos-postgresql": "an application with pages, sessions, forms and PostgreSQL",
};

function starts(results: Results, { hasPackages = false }: PageOptions): readonly string[] {
  if (results.processes.length === 0) return [];
  return [
    "## Start, memory, packages",
    "",
    "Time from the start of the process to its first response, CPU time until then, and resident memory one second after ten responses.",
    "",
    ...Object.entries(startTitles).flatMap(([application, title]) => {
      const rows = results.processes.filter((item) => (item.application ?? "json") === application);
      const head = ["ms", "CPU ms", "memory MB"];
      return rows.length === 0 ? [] : [`Start of ${title}:`, "", ...table(["", ...head], rows.map(startRow))];
    }),
    ...(hasPackages ? footprints(results) : []),
  ];
}

const startRow = (item: ProcessMeasurement): readonly string[] => [
  label(item),
  number(median(item.startUp)),
  number(median(item.startUpCpu)),
  number(median(item.idleMemory) / 1e6),
];

/** Returns the table of the packages of each contestant. */
function footprints(results: Results): readonly string[] {
  const rows = results.footprints
    .filter(({ packages }) => packages > 0)
    .map((item) => [
      label(item),
      Object.values(item.versions)[0] ?? "",
      String(item.packages),
      number(item.bytes / 1e6),
    ]);
  return [
    "Packages that a user installs for a site with sessions, forms and views, without the driver of the database (versions in `bench/package.json`):",
    "",
    ...table(["", "version", "packages", "MB"], rows),
  ];
}
