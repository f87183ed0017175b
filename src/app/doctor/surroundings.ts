import { readFileSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { join } from "node:path";
import { baseFields } from "../../cli/index.ts";
import { Configuration } from "../../config/index.ts";
import { type Environment, Lifecycle, type Service } from "../../core/index.ts";
import { misspeltKeys } from "../misspelt.ts";
import type { About } from "./examine.ts";

/** Looks at what the services stand on: Node, the version of the framework, environment, configuration, secret. */
export function examineSurroundings(services: readonly Service.Service[], environment: Environment): About[] {
  return [
    ...versions(),
    surroundingEnvironment(environment),
    ...configuration(services, environment),
    ...secret(environment),
  ];
}

function versions(): About[] {
  const present = process.versions.node;
  const limmat = manifest(findPackageJSON("..", import.meta.url));
  const project = manifest(join(Configuration.root(), "package.json"));
  const wanted = [limmat, project].flatMap(({ engines }) => engines?.node ?? []);
  const unmet = wanted.filter((range) => !isWithin(present, range));
  if (unmet.length === 0) return [{ about: "node", level: "ok", message: `Node ${present}, limmat ${limmat.version}` }];
  return [
    {
      about: "node",
      level: "problem",
      message: `This is Node ${present}, and package.json asks for ${unmet.join(" and for ")}`,
      advice: 'Run it by "npm run", which takes the Node that the project brings, or install a newer one.',
    },
  ];
}

interface Manifest {
  readonly version?: string;
  readonly engines?: { readonly node?: string };
}

function manifest(path: string | undefined): Manifest {
  try {
    return JSON.parse(readFileSync(path ?? "", "utf8")) as Manifest;
  } catch {
    return {}; // A project may have none, and one that is broken is for npm to tell.
  }
}

/** Whether a version is in a range of the form `>=24.15`; true for ranges of other forms, which npm checks. */
export function isWithin(version: string, range: string): boolean {
  const [, least] = /^>=\s*(\d+(?:\.\d+){0,2})$/.exec(range.trim()) ?? [];
  if (least === undefined) return true;
  const parts = version.split(".").map(Number);
  const difference = least
    .split(".")
    .map((part, index) => (parts[index] ?? 0) - Number(part))
    .find((each) => each !== 0);
  return difference === undefined || difference > 0;
}

function surroundingEnvironment(judged: Environment): About {
  const about = "environment";
  const present = Configuration.environment();
  const message = `FRAMEWORK_ENV is ${Configuration.isEnvironmentSet() ? present : `not set, which means ${present}`}`;
  if (judged === present) return { about, level: "ok", message };
  const advice = `Where the application runs, set it to ${judged}: what follows is judged as if it were.`;
  return { about, level: "warning", message, advice };
}

function configuration(services: readonly Service.Service[], environment: Environment): About[] {
  const about = "configuration";
  const fields = [...baseFields, ...Lifecycle.inOrder(services).flatMap((service) => service.configuration)];
  const problems = judgedFor(environment, () => Configuration.check(fields));
  const found = problems.map(({ key, problem }): About => ({
    about,
    level: "problem",
    message: `${key} ${problem}`,
    advice: "Set it in the process environment or in an env file.",
  }));
  const misspelt = judgedFor(environment, () => misspeltKeys(fields)).map((message): About => ({
    about,
    level: "warning",
    message,
    advice: "Correct the name, or take the line away.",
  }));
  const keys = new Set(fields.map(({ key }) => key)).size;
  return found.length > 0
    ? [...found, ...misspelt]
    : [{ about, level: "ok", message: `All ${keys} keys can be read for ${environment}` }, ...misspelt];
}

/** Where the present secret would not do in production, and that is not asked for: a reason to think of it in time. */
function secret(environment: Environment): About[] {
  const about = "secret";
  const field = Configuration.fields.find(({ key }) => key === "FRAMEWORK_SECRET");
  const [problem] = judgedFor("production", () => Configuration.check(field === undefined ? [] : [field]));
  if (problem === undefined) return [{ about, level: "ok", message: "FRAMEWORK_SECRET is good enough for production" }];
  if (environment === "production" || problem.key !== "FRAMEWORK_SECRET") return [];
  const advice = "The command random makes a good one.";
  return [{ about, level: "warning", message: `Production would refuse: FRAMEWORK_SECRET ${problem.problem}`, advice }];
}

/** Calls a function while the configuration is read as in this environment. */
function judgedFor<T>(environment: Environment, judge: () => T): T {
  const present = Configuration.isEnvironmentSet() ? Configuration.environment() : "";
  if (present === environment) return judge();
  Configuration.store([["FRAMEWORK_ENV", environment]]);
  try {
    return judge();
  } finally {
    Configuration.store([["FRAMEWORK_ENV", present]]);
  }
}
