import { existsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type Environment, environments, type Service } from "../core/index.ts";
import { type EnvFile, readEnvFiles, type SourcedValue } from "./env-files.ts";
import { invalidFile, invalidKey } from "./errors.ts";

// These keys select the env files, so an env file cannot set them.
const bootstrapKeys = ["FRAMEWORK_ENV", "ROOT_PATH", "ENV_FILES_PATH"];

/** Values derived from the sources. Functions that `memoize` returns recompute when the object is replaced. */
interface SourceCache {
  root?: string | undefined;
  files?: readonly EnvFile[] | undefined;
}

// Process-wide state of this module.
const storedValues = new Map<string, string>();
let applicationRoot: string | undefined;
let cache: SourceCache = {};

/**
 * Sets values for the whole process. They override every other source. An empty value removes a stored one.
 *
 * @example
 * Configuration.store([["PORT", "8080"]]);
 */
export function store(pairs: Iterable<readonly [key: string, value: string]>): void {
  cache = { ...cache };
  for (const [key, value] of pairs) {
    if (value === "") storedValues.delete(key);
    else storedValues.set(key, value);
    if (bootstrapKeys.includes(key)) cache = {};
  }
}

/** Returns the value that `store` has set for a key, or `undefined`. */
export const storedValue = (key: string): string | undefined => storedValues.get(key);

/** Sets the folder of the project. `ROOT_PATH` overrides it. Called by `App.create` with the option `root`. */
export function setProjectRoot(path: string): void {
  applicationRoot = resolve(path);
  cache = {};
}

/** Removes all stored values and caches, so that the env files are read again. For tests. */
export function reset(): void {
  storedValues.clear();
  applicationRoot = undefined;
  cache = {};
}

/** Returns a function that computes once, and again only after `store`, `setProjectRoot` or `reset`. */
export function memoize<T>(compute: () => T): () => T {
  let memoized: { readonly cache: SourceCache; readonly value: T } | undefined;
  return () => {
    if (memoized?.cache !== cache) memoized = { cache, value: compute() };
    return memoized.value;
  };
}

/**
 * Returns the folder of the project: `ROOT_PATH`, otherwise the folder that the application passes, otherwise the nearest
 * folder under version control from the working directory upwards, otherwise the working directory.
 *
 * @throws E_CONFIGURATION_INVALID when `ROOT_PATH` is not a folder.
 */
export function root(): string {
  cache.root ??= readFolder("ROOT_PATH", process.cwd()) ?? applicationRoot ?? findRepositoryRoot(process.cwd());
  return cache.root;
}

/**
 * Returns the environment that `FRAMEWORK_ENV` names, `development` when it is not set.
 *
 * @throws E_CONFIGURATION_INVALID for any other value, including other letter cases and surrounding blanks.
 */
export const environment: () => Environment = memoize(() => {
  const name = findOutsideFiles("FRAMEWORK_ENV")?.value ?? "development";
  const match = environments.find((candidate) => candidate === name);
  if (match === undefined) throw invalidKey("FRAMEWORK_ENV", `must be exactly one of ${environments.join(", ")}`);
  return match;
});

/** Returns true if `FRAMEWORK_ENV` is set. No protection may be switched off while it is not set. */
export const isEnvironmentSet: () => boolean = memoize(() => findOutsideFiles("FRAMEWORK_ENV") !== undefined);

/**
 * Returns true if pages for developers are open without a guard: `FRAMEWORK_ENV` is set, and not to `production`.
 *
 * @throws E_CONFIGURATION_INVALID
 */
export const hasOpenDeveloperPages = (): boolean => isEnvironmentSet() && environment() !== "production";

/**
 * Looks a key up in all sources, in the order of their precedence. An empty value counts as not set.
 *
 * @throws E_CONFIGURATION_FILE when the env files cannot be read.
 */
export function findValue(key: string): SourcedValue | undefined {
  const sourced = findOutsideFiles(key);
  if (sourced !== undefined) return sourced;
  for (const { values } of loadFiles()) {
    const found = values.get(key);
    if (found !== undefined && found.value !== "") return found;
  }
  return undefined;
}

/** Returns where a setting is made, for messages: `DATABASE_URL in .env:3`, or the line of a service that has it as an option. */
export function settingName(key: string, option?: string, service?: Service.Service): string {
  if (option !== undefined) return `an option of the service "${service?.name}"${projectLine(service?.declaration)}`;
  const source = findValue(key)?.source;
  return source === undefined ? `${key}, which is not set` : `${key} in ${source}`;
}

/** Returns the first line of the project in a stack, for messages: ` in service/service.ts:12`. Empty without a stack. */
export function projectLine(stack: Error | undefined): string {
  const prefix = pathToFileURL(`${root()}/`).href;
  const frame = stack?.stack?.split("\n").find((line) => line.includes(prefix) && !line.includes("/node_modules/"));
  const [, location] = /^(.*:\d+):\d+\)?$/.exec(frame?.split(prefix)[1] ?? "") ?? [];
  return location === undefined ? "" : ` in ${decodeURI(location)}`;
}

/**
 * Returns the keys that env files set, each with the file and line that take precedence: `.env:3`.
 *
 * @throws E_CONFIGURATION_FILE when the env files cannot be read.
 */
export function keysInEnvFiles(): ReadonlyMap<string, string> {
  const pairs = loadFiles().flatMap(({ values }) => Array.from(values, ([key, { source }]) => [key, source] as const));
  return new Map(pairs.toReversed());
}

function findOutsideFiles(key: string): SourcedValue | undefined {
  const stored = storedValues.get(key);
  if (stored !== undefined) return { value: stored, source: "Configuration.store" };
  const value = process.env[key];
  // Keys such as "toString" resolve to inherited properties of the object.
  return typeof value === "string" && value !== "" ? { value, source: "process environment" } : undefined;
}

function loadFiles(): readonly EnvFile[] {
  if (cache.files !== undefined) return cache.files;
  const files = readEnvFiles(readFolder("ENV_FILES_PATH", root()) ?? root(), environment());
  for (const { path, values } of files) {
    for (const key of bootstrapKeys) {
      const { value = "" } = values.get(key) ?? {};
      if (value !== "" && value !== findOutsideFiles(key)?.value) {
        throw invalidFile(path, `sets ${key}, which selects the env files. Set it in the process environment`);
      }
    }
  }
  cache.files = files;
  return files;
}

function readFolder(key: string, base: string): string | undefined {
  const value = findOutsideFiles(key)?.value;
  if (value === undefined) return undefined;
  const path = resolve(base, value);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return path;
  throw invalidKey(key, "must name a folder that exists");
}

const versionControlFolders = [".git", ".hg", ".svn", ".bzr", "_darcs"];

/** Returns the nearest folder under version control, from `start` upwards, otherwise `start`. */
function findRepositoryRoot(start: string): string {
  for (let folder = start; ; folder = dirname(folder)) {
    if (versionControlFolders.some((name) => existsSync(join(folder, name)))) return folder;
    if (folder === dirname(folder)) return start;
  }
}
