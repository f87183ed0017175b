import { statSync } from "node:fs";
import { resolve } from "node:path";
import { type Environment, environments } from "../core/index.ts";
import { type EnvFile, readEnvFiles } from "./env-files.ts";
import { invalidFile, invalidKey } from "./errors.ts";
import { findRoot } from "./root.ts";

/** A value, and the source that it comes from: `Configuration.store`, `process environment` or an env file's name. */
export interface Found {
  readonly value: string;
  readonly source: string;
}

// They decide which env files are read, so they cannot be decided in one.
const decisive = ["FRAMEWORK_ENV", "ROOT_PATH", "ENV_FILES_PATH"];

// The process-wide state of the room. All else is derived from it, through `derived`.
const stored = new Map<string, string>();
let givenRoot: string | undefined;
let usedRoot: string | undefined;
let files: readonly EnvFile[] | undefined;
let generation = 0;

/**
 * Sets values that win over every other source, for the whole process. An empty value takes an earlier one back.
 *
 * @example
 * Configuration.store([["PORT", "8080"]]);
 */
export function store(pairs: Iterable<readonly [key: string, value: string]>): void {
  for (const [key, value] of pairs) {
    if (value === "") stored.delete(key);
    else stored.set(key, value);
    if (decisive.includes(key)) forgetFiles();
  }
  generation += 1;
}

/** What `store` has set a key to, or `undefined`. */
export const findStored = (key: string): string | undefined => stored.get(key);

/** Sets the folder of the project, which `ROOT_PATH` overrides. The application gives its own when it is made. */
export function setRoot(path: string): void {
  givenRoot = resolve(path);
  forgetFiles();
  generation += 1;
}

/** Forgets all that was stored and read, so that the env files are read anew. For tests. */
export function reset(): void {
  stored.clear();
  givenRoot = undefined;
  forgetFiles();
  generation += 1;
}

/** Makes a function that computes once, and again only after `store`, `setRoot` or `reset`. */
export function derived<T>(compute: () => T): () => T {
  let value: { readonly of: number; readonly is: T } | undefined;
  return () => {
    if (value?.of !== generation) value = { of: generation, is: compute() };
    return value.is;
  };
}

/**
 * The folder of the project: `ROOT_PATH`, otherwise the one that the application gives, otherwise the nearest folder
 * from the working directory upwards that is under version control, otherwise the working directory.
 *
 * @throws E_CONFIGURATION_INVALID when `ROOT_PATH` is no folder.
 */
export function root(): string {
  usedRoot ??= folderOf("ROOT_PATH", process.cwd()) ?? givenRoot ?? findRoot(process.cwd());
  return usedRoot;
}

/**
 * The environment that `FRAMEWORK_ENV` names, `development` when it is not set.
 *
 * @throws E_CONFIGURATION_INVALID for any other value, another letter case and surrounding blanks included.
 */
export const environment: () => Environment = derived(() => {
  const name = findOutside("FRAMEWORK_ENV")?.value ?? "development";
  const known = environments.find((candidate) => candidate === name);
  if (known === undefined) throw invalidKey("FRAMEWORK_ENV", `must be exactly one of ${environments.join(", ")}`);
  return known;
});

/** Whether `FRAMEWORK_ENV` is set. Nothing that protects may be switched off unless it is. */
export const isEnvironmentSet: () => boolean = derived(() => findOutside("FRAMEWORK_ENV") !== undefined);

/**
 * Looks a key up in all sources, the strongest first. An empty value counts as not set.
 *
 * @throws E_CONFIGURATION_FILE when the env files cannot be read.
 */
export function find(key: string): Found | undefined {
  const outside = findOutside(key);
  if (outside !== undefined) return outside;
  for (const { name, values } of loadedFiles()) {
    const value = values.get(key);
    if (value !== undefined && value !== "") return { value, source: name };
  }
  return undefined;
}

/**
 * The keys that env files set, each with the file that comes first.
 *
 * @throws E_CONFIGURATION_FILE when the env files cannot be read.
 */
export function keysInFiles(): ReadonlyMap<string, string> {
  const named = loadedFiles().flatMap(({ name, values }) => [...values.keys()].map((key) => [key, name] as const));
  return new Map(named.toReversed());
}

function findOutside(key: string): Found | undefined {
  const given = stored.get(key);
  if (given !== undefined) return { value: given, source: "Configuration.store" };
  const value = process.env[key];
  // Keys such as "toString" find what objects inherit.
  return typeof value === "string" && value !== "" ? { value, source: "process environment" } : undefined;
}

function loadedFiles(): readonly EnvFile[] {
  if (files !== undefined) return files;
  const read = readEnvFiles(folderOf("ENV_FILES_PATH", root()) ?? root(), environment());
  for (const { path, values } of read) {
    for (const key of decisive) {
      const value = values.get(key) ?? "";
      if (value !== "" && value !== findOutside(key)?.value) {
        throw invalidFile(
          path,
          `sets ${key}, which decides what env files are read. Set it in the process environment`,
        );
      }
    }
  }
  files = read;
  return files;
}

function folderOf(key: string, base: string): string | undefined {
  const value = findOutside(key)?.value;
  if (value === undefined) return undefined;
  const path = resolve(base, value);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return path;
  throw invalidKey(key, "must name a folder that exists");
}

function forgetFiles(): void {
  usedRoot = undefined;
  files = undefined;
}
