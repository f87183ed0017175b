import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { join, resolve } from "node:path";
import { findEntryPoints } from "../core/index.ts";
import type { BrowserEvent } from "./browser-client.ts";
import { sourceFrame, withoutControls } from "./failure.ts";

const maxErrorsWithSource = 3;
const maxErrors = 20;
const maxOutputLength = 1_000_000;

/** Result of a type check. */
export interface TypeErrors {
  readonly count: number;
  /** Errors with their position, the first ones with their source. */
  readonly text: string;
}

/**
 * Checks the types of a project with its own compiler, in a child process of low priority.
 *
 * Each check runs `tsc --noEmit --incremental`, so that no memory is in use between the checks. Errors are confirmed by a
 * check of all files: TypeScript 7.0.2 keeps errors of a file after its change was reverted. Without a compiler or a
 * `tsconfig.json`, nothing is checked.
 */
export class TypeChecker {
  readonly #root: string;
  readonly #onResult: (errors: TypeErrors | undefined) => void;
  #child: ChildProcess | undefined;
  #generation = 0;

  /** Calls `onResult` after each complete check; without errors with `undefined`. */
  constructor(root: string, onResult: (errors: TypeErrors | undefined) => void) {
    this.#root = root;
    this.#onResult = onResult;
  }

  /** Starts a check. Stops the one that runs: its files have changed. */
  start(): void {
    this.stop();
    const compiler = join(this.#root, "node_modules/typescript/bin/tsc");
    if (existsSync(compiler)) void this.#check(compiler, this.#generation);
  }

  /** True while a check runs: the last result is about former files. */
  get isRunning(): boolean {
    return this.#child !== undefined;
  }

  /** Stops the check that runs. */
  stop(): void {
    this.#generation += 1;
    this.#child?.kill("SIGKILL");
    this.#child = undefined;
  }

  async #check(compiler: string, generation: number): Promise<void> {
    const projects = ["tsconfig.json", ...(findEntryPoints(this.#root).length > 0 ? ["resources/tsconfig.json"] : [])];
    const outputs: string[] = [];
    for (const project of projects.filter((path) => existsSync(join(this.#root, path)))) {
      const cache = join(this.#root, cacheOf(project));
      const isIncremental = existsSync(cache);
      let output = await this.#run(compiler, project);
      if (isIncremental && errorPattern.test(output) && generation === this.#generation) {
        rmSync(cache, { force: true });
        output = await this.#run(compiler, project);
      }
      if (generation !== this.#generation) return;
      outputs.push(output);
    }
    this.#child = undefined;
    this.#onResult(parseTypeErrors(outputs.join("\n"), this.#root));
  }

  /** Runs the compiler for a project, and returns its output. */
  #run(compiler: string, project: string): Promise<string> {
    const options = ["--noEmit", "--incremental", "--tsBuildInfoFile", cacheOf(project), "--pretty", "false"];
    const child = spawn(process.execPath, [compiler, "-p", project, ...options, ...customConditions()], {
      cwd: this.#root,
      stdio: ["ignore", "pipe", "ignore"],
    });
    this.#child = child;
    lowerPriority(child.pid);
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      if (output.length < maxOutputLength) output += text;
    });
    return new Promise((done) => {
      child.once("error", () => done(""));
      child.once("close", () => done(output));
    });
  }
}

const cacheOf = (project: string): string => `node_modules/.cache/limmat/${project.replace("/", "-")}.tsbuildinfo`;

const errorPattern = /\berror TS\d+:/;

function lowerPriority(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // The process has ended already, or the system forbids it: the check runs at normal priority.
  }
}

/** Returns the package conditions of this process as options of the compiler: types come from the same files. */
function customConditions(): readonly string[] {
  const names = process.execArgv.flatMap((argument) => /^(?:-C|--conditions)=(.+)$/.exec(argument)?.[1] ?? []);
  return names.length === 0 ? [] : ["--customConditions", names.join(",")];
}

/** Parses the output of the compiler. Returns `undefined` if it reports no error. */
function parseTypeErrors(output: string, root: string): TypeErrors | undefined {
  // A line without indentation begins an error. The lines below it explain the error further.
  const messages = output.split(/\n(?=\S)/).filter((message) => errorPattern.test(message));
  if (messages.length === 0) return undefined;
  const shown = messages.slice(0, maxErrors).map((message, index) => {
    const [, file, line, column, rest] = /^(.+?)\((\d+),(\d+)\): error (TS\d+: [^]*)$/.exec(message.trimEnd()) ?? [];
    if (file === undefined || rest === undefined) return message.trimEnd();
    const location = { file: resolve(root, file), line: Number(line), column: Number(column) };
    const title = `${file}:${line}:${column}  ${rest}`;
    return index < maxErrorsWithSource ? `${title}\n\n${sourceFrame(location)}` : title;
  });
  const others = messages.length - shown.length;
  if (others > 0) shown.push(`… and ${others} more: npm run check:types`);
  return { count: messages.length, text: withoutControls(shown.join("\n\n")) };
}

/** Returns the line above the errors in the terminal. */
export const typesTitle = ({ count }: TypeErrors): string =>
  `${count === 1 ? "1 type error" : `${count} type errors`}. The application runs all the same.`;

/** Returns the event that shows the errors in browsers. */
export const typesEvent = (found: TypeErrors | undefined): BrowserEvent => ({
  kind: "types",
  count: found?.count ?? 0,
  text: found?.text,
});
