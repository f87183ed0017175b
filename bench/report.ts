// npm run report [-- results/<file>.json]: writes the pages of the documentation from the newest results of each kind.
import { readdirSync, readFileSync } from "node:fs";
import type { Results } from "./harness/results.ts";
import { otherConditions } from "./report/conditions.ts";
import { conditionGoals, fullStackGoals, goals } from "./report/goals.ts";
import { writePage, type PageOptions } from "./report/page.ts";
import { suites } from "./work/suites.ts";

const folder = new URL("results/", import.meta.url);
const [given] = process.argv.slice(2);

/** Returns the newest results whose file begins with a prefix and a date. */
function newest(prefix: string): PageOptions["source"] {
  const isGiven = given !== undefined && new RegExp(`^results/${prefix}\\d{4}-`).test(given);
  const files = readdirSync(folder).filter((name) => new RegExp(`^${prefix}\\d{4}-.*\\.json$`).test(name));
  const last = files.toSorted().at(-1);
  const file = isGiven ? given : last === undefined ? undefined : `results/${last}`;
  if (file === undefined) return undefined;
  return { file, results: JSON.parse(readFileSync(new URL(file, import.meta.url), "utf8")) as Results };
}

writePage({
  title: "Benchmarks",
  name: "benchmarks",
  introduction: [
    "Limmat and other frameworks on equal tasks. Other pages compare limmat with hand-written code on the works of a",
    "[whole application](benchmarks-full-stack.md), and under [other conditions](benchmarks-conditions.md): protocols, large bodies, load.",
  ],
  goals,
  hasStarts: true,
  hasPackages: true,
  command: "npm run bench",
  source: newest(""),
});

writePage({
  title: suites["full-stack"]?.title ?? "",
  name: "benchmarks-full-stack",
  introduction: [
    "The five works of a whole application: a page with a session, a search, a form that inserts, one row as JSON, and JSON alone. Limmat is",
    "compared with hand-written code and with Fastify.",
  ],
  goals: fullStackGoals,
  hasStarts: false,
  hasOneTable: true,
  command: "npm run bench -- full-stack",
  source: newest("full-stack-"),
});

writePage({
  title: suites["conditions"]?.title ?? "",
  name: "benchmarks-conditions",
  introduction: [
    "Limmat, hand-written code and Fastify under other conditions: plain text and pipelining, short-lived and many connections, TLS and",
    "HTTP/2, several processes, cached and large data, compression, uploads, large files, a fixed rate, bad traffic, and event streams.",
  ],
  goals: conditionGoals,
  conditions: otherConditions,
  hasStarts: false,
  command: "npm run bench -- conditions",
  source: newest("conditions-"),
});
