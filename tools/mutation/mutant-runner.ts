import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** A run of tests against a changed file. Paths are relative to the root of the repository. */
export interface MutantRun {
  readonly file: string;
  /** Content that replaces the file. */
  readonly code: string;
  readonly tests: readonly string[];
}

/** Result of a run. `unhandled` is an error outside of all tests: of this run, or left behind by an earlier one. */
export type RunResult = "passed" | "failed" | "unhandled";

// A process keeps the modules of all its runs in memory, so it is replaced after this number.
const maxRunsPerProcess = 60;

/** Runs tests against mutants in one child process. Replaces the process after a timeout or an unhandled error. */
export class MutantRunner {
  #process: ChildProcess | undefined;
  #runs = 0;

  /** Returns true if all tests pass within `timeoutMs`. A mutant can cause an endless loop. */
  async passes(mutantRun: MutantRun, timeoutMs: number): Promise<boolean> {
    const result = await this.#run(mutantRun, timeoutMs);
    return (result === "unhandled" ? await this.#run(mutantRun, timeoutMs) : result) === "passed";
  }

  /** Ends the process. */
  close(): void {
    this.#process?.kill("SIGKILL");
    this.#process = undefined;
  }

  async #run(mutantRun: MutantRun, timeoutMs: number): Promise<RunResult | "timeout"> {
    if (this.#runs >= maxRunsPerProcess) this.close();
    if (this.#process === undefined) {
      this.#runs = 0;
      this.#process = fork(join(import.meta.dirname, "mutant-process.ts"), {
        execArgv: ["--conditions=@limmat/source", "--no-warnings"],
        stdio: ["ignore", "ignore", "ignore", "ipc"],
      });
    }
    this.#runs += 1;
    const child = this.#process;
    child.send(mutantRun);
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), timeoutMs);
    try {
      const [result] = (await Promise.race([
        once(child, "message", { signal: timeout.signal }),
        once(child, "exit", { signal: timeout.signal }).then(() => ["failed"]),
      ])) as [RunResult];
      if (result === "unhandled" || child.exitCode !== null) this.close();
      return result;
    } catch {
      this.close();
      return "timeout";
    } finally {
      clearTimeout(timer);
      timeout.abort();
    }
  }
}
