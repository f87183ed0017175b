import { median, type Measurement, type Round } from "../harness/measure.ts";
import type { ProcessMeasurement } from "../harness/process.ts";
import type { Results } from "../harness/results.ts";
import { number } from "./number.ts";
import { cpuOf, rateOf, ratiosOf, spreadOf } from "./ratio.ts";

/** Figure of a round that a goal limits. */
type Figure = "CPU" | "requests/s" | "memory";

/** Goal of limmat: a bound of the median ratio to another contestant, lower for requests per second and else upper. */
export interface Goal {
  readonly work: string;
  readonly host: "node" | "bun";
  /** Contestant that limmat is compared with, in another benchmark as `contestant/benchmark`. */
  readonly against: string;
  readonly bound: number;
  readonly figure: Figure;
}

const goal = (work: string, against: string, bound: number, options: Partial<Goal> = {}): Goal => ({
  work,
  against,
  bound,
  host: "node",
  figure: "CPU",
  ...options,
});

const everyPeer = ["fastify", "express", "hono", "h3", "koa", "nest", "adonis"];

/** Goals of the main page, in its order. */
export const goals: readonly Goal[] = [
  goal("json", "node:http", 1.08),
  goal("json", "fastify", 1),
  goal("routes", "node:http/json", 1.15),
  ...everyPeer.map((peer) => goal("routes", peer, 1)),
  goal("middlewares", "node:http/json", 1.15),
  ...everyPeer.map((peer) => goal("middlewares", peer, 1)),
  goal("body-1k", "fastify", 1),
  goal("site", "fastify", 0.65),
  goal("site", "adonis", 0.12),
  goal("index-postgresql", "fastify", 0.6),
  goal("index-postgresql", "adonis", 0.2),
  goal("form", "fastify", 0.6),
  goal("form", "adonis", 0.2),
  goal("db", "node:http", 1.15),
  goal("queries", "node:http", 1.15),
  goal("static-304", "fastify", 1),
  goal("static-304", "express", 1),
  goal("json", "Bun.serve with headers", 1.15, { host: "bun" }),
  goal("json", "hono", 1, { host: "bun" }),
];

/** Goals of the full-stack page, compared with hand-written code and with Fastify. */
export const fullStackGoals: readonly Goal[] = [
  goal("json", "node:http", 1),
  goal("site", "node:http", 1.05),
  goal("site-1200", "node:http", 1.15),
  goal("row", "node:http", 0.95),
  goal("form-1200", "node:http", 1.2),
  goal("form-1200", "fastify", 0.45),
  goal("index-10k", "node:http", 1.15),
  goal("index-10k", "node:http", 0.95, { figure: "requests/s" }),
];

/** Goals of the page about other conditions. */
export const conditionGoals: readonly Goal[] = [goal("memory", "node:http", 1.15, { figure: "memory" })];

const readers: Readonly<Record<Figure, (round: Round) => number>> = {
  CPU: cpuOf,
  "requests/s": rateOf,
  memory: ({ rss }) => rss,
};

/** Returns benchmark, contestant, ratio and verdict of a goal; nothing if one of the two was not measured. */
export function goalRow(
  results: Results,
  { work, host, against, bound, figure }: Goal,
): readonly (readonly string[])[] {
  const [contestant, otherWork = work] = against.split("/");
  const find = (name: string | undefined, where: string): Measurement | undefined =>
    results.measurements.find(
      (item) => item.contestant === name && item.work === where && item.host === host && item.rounds.length > 0,
    );
  const [ours, theirs] = [find("limmat", work), find(contestant, otherWork)];
  if (ours === undefined || theirs === undefined) return [];
  const ratios = ratiosOf(ours, theirs, readers[figure]);
  const isReached = figure === "requests/s" ? median(ratios) >= bound : median(ratios) <= bound;
  const other = host === "bun" && !against.startsWith("Bun.serve") ? `${against} (Bun)` : against;
  const sign = figure === "requests/s" ? "≥" : "≤";
  const compared = figure === "CPU" ? other : `${other}, ${figure}`;
  return [[work, compared, spreadOf(ratios), verdict(`${sign} ${number(bound)}`, isReached)]];
}

/** Returns the same of the goals for start, memory and packages. */
export function processGoals(results: Results): readonly (readonly string[])[] {
  const find = (name: string): ProcessMeasurement | undefined =>
    results.processes.find(
      ({ contestant, host, application = "json" }) => contestant === name && host === "node" && application === "json",
    );
  const [ours, bare, fastify] = ["limmat", "node:http", "fastify"].map(find);
  const packages = results.footprints.find(({ contestant }) => contestant === "limmat")?.packages ?? NaN;
  if (ours === undefined || bare === undefined || fastify === undefined) return [];
  const start = (other: ProcessMeasurement): readonly number[] =>
    ours.startUp.map((time, n) => time / (other.startUp[n] ?? NaN));
  const memory = (median(ours.idleMemory) - median(bare.idleMemory)) / 1e6;
  const [toBare, toFastify] = [start(bare), start(fastify)];
  return [
    ["start", "node:http, time", spreadOf(toBare), verdict("≤ 1.50", median(toBare) <= 1.5)],
    ["start", "fastify, time", spreadOf(toFastify), verdict("≤ 1.00", median(toFastify) < 1)],
    ["idle memory", "node:http", `+ ${number(memory)} MB`, verdict("≤ + 15 MB", memory <= 15)],
    ["packages", "", String(packages), verdict("≤ 3", packages <= 3)],
  ];
}

/** Returns a goal that is not `≤ 1.00`, with a mark if it is missed. */
function verdict(text: string, isReached: boolean): string {
  return `${text === "≤ 1.00" ? "" : `, goal ${text}`}${isReached ? "" : " **missed**"}`;
}

/** Returns a list of goals: an item per benchmark. */
export function goalList(rows: readonly (readonly string[])[]): readonly string[] {
  return [...Map.groupBy(rows, ([name = ""]) => name)].map(([name, items]) => {
    const parts = items.map(([, other = "", ratio = "", end = ""]) => `${other} ${ratio}`.trim() + end);
    return `- **${name}**: ${parts.join("; ")}`;
  });
}
