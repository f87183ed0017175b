import { readFileSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { join } from "node:path";
import { baseFields } from "../../program/index.ts";
import { frameworkVersion } from "../../project/index.ts";
import { Configuration, ConfigurationInternals } from "../../config/index.ts";
import { checkFields, findMisspelledKeys, frameworkFields } from "../../config/internal.ts";
import { type Environment, Lifecycle, type Service } from "../../core/index.ts";

/** Result of one check of the command `doctor`. */
export interface DoctorFinding extends Service.Finding {
  /** Name of a service, or `node`, `environment`, `configuration`, `secret`. */
  readonly subject: string;
}

/** Checks the versions of Node and limmat, the environment, the configuration and the secret. */
export async function checkEnvironment(
  services: readonly Service.Service[],
  environment: Environment,
): Promise<readonly DoctorFinding[]> {
  const findings = {
    node: [checkVersions(frameworkVersion())],
    environment: [checkEnvironmentKey(environment)],
    configuration: checkConfiguration(services, environment),
    secret: checkSecret(environment),
  };
  return Object.entries(findings).flatMap(([subject, list]) => list.map((finding) => ({ subject, ...finding })));
}

function checkVersions(limmatVersion: string): Service.Finding {
  const nodeVersion = process.versions.node;
  const limmatManifest = readManifest(findPackageJSON("..", import.meta.url));
  const projectManifest = readManifest(join(ConfigurationInternals.root(), "package.json"));
  const ranges = [limmatManifest, projectManifest].flatMap(({ engines }) => engines?.node ?? []);
  const unmetRanges = ranges.filter((range) => !isInRange(nodeVersion, range));
  if (unmetRanges.length === 0) return { level: "ok", message: `Node ${nodeVersion}, limmat ${limmatVersion}` };
  const message = `This is Node ${nodeVersion}, and package.json requires ${unmetRanges.join(" and ")}`;
  const advice = 'Use "npm run", which uses the Node of the project, or install a newer Node.';
  return { level: "problem", message, advice };
}

interface Manifest {
  readonly engines?: { readonly node?: string };
}

function readManifest(path: string | undefined): Manifest {
  try {
    return JSON.parse(readFileSync(path ?? "", "utf8")) as Manifest;
  } catch {
    return {}; // A project can lack a package.json, and npm reports an invalid one.
  }
}

/** Returns true if a version is in a range of the form `>=24.15`, and for ranges of other forms, which npm checks. */
export function isInRange(version: string, range: string): boolean {
  const [, minimum] = /^>=\s*(\d+(?:\.\d+){0,2})$/.exec(range.trim()) ?? [];
  if (minimum === undefined) return true;
  const parts = version.split(".").map(Number);
  const difference = minimum
    .split(".")
    .map((part, index) => (parts[index] ?? 0) - Number(part))
    .find((partDifference) => partDifference !== 0);
  return difference === undefined || difference > 0;
}

function checkEnvironmentKey(checkedEnvironment: Environment): Service.Finding {
  const current = Configuration.environment();
  const message = `FRAMEWORK_ENV is ${ConfigurationInternals.isEnvironmentSet() ? current : `not set, which means ${current}`}`;
  if (checkedEnvironment === current) return { level: "ok", message };
  const advice = `Set it to ${checkedEnvironment} on the server. The following checks assume ${checkedEnvironment}.`;
  return { level: "warning", message, advice };
}

function checkConfiguration(services: readonly Service.Service[], environment: Environment): Service.Finding[] {
  const serviceFields = Lifecycle.sortByDependencies(services).flatMap((service) => service.configuration);
  const fields = [...baseFields, ...serviceFields];
  const problems = inEnvironment(environment, () => checkFields(fields)).map(({ key, problem }): Service.Finding => ({
    level: "problem",
    message: `${key} ${problem}`,
    advice: "Set it in the process environment or in an env file.",
  }));
  const warnings = inEnvironment(environment, () => findMisspelledKeys(fields)).map((message): Service.Finding => ({
    level: "warning",
    message,
    advice: "Correct the name, or remove the line.",
  }));
  if (problems.length > 0) return [...problems, ...warnings];
  const keys = new Set(fields.map(({ key }) => key)).size;
  return [{ level: "ok", message: `All ${keys} keys are valid for ${environment}` }, ...warnings];
}

/** Warns outside production about a secret that production would refuse. */
function checkSecret(environment: Environment): Service.Finding[] {
  const fields = frameworkFields.filter(({ key }) => key === "FRAMEWORK_SECRET");
  const [problem] = inEnvironment("production", () => checkFields(fields));
  if (problem === undefined) return [{ level: "ok", message: "FRAMEWORK_SECRET is strong enough for production" }];
  if (environment === "production" || problem.key !== "FRAMEWORK_SECRET") return [];
  const message = `Production would refuse FRAMEWORK_SECRET: it ${problem.problem}`;
  return [{ level: "warning", message, advice: "The command random makes a secret." }];
}

/** Calls a function while `FRAMEWORK_ENV` has this value. */
function inEnvironment<T>(environment: Environment, check: () => T): T {
  const current = ConfigurationInternals.isEnvironmentSet() ? Configuration.environment() : "";
  if (current === environment) return check();
  Configuration.store([["FRAMEWORK_ENV", environment]]);
  try {
    return check();
  } finally {
    Configuration.store([["FRAMEWORK_ENV", current]]);
  }
}
