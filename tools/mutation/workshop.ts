import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** A file of ours, what stands in its place, and the test files that must notice, all from the root of the repository. */
export interface Trial {
  readonly file: string;
  readonly code: string;
  readonly tests: readonly string[];
}

/** `stray` is an error outside of all tests: of this trial, or left behind by one before. */
export type Answer = "passed" | "failed" | "stray";

// What a trial loads stays in memory.
const mostTrials = 60;

/** Runs trials in one process, which is replaced when a trial has spoilt it. */
export class Workshop {
  #process: ChildProcess | undefined;
  #count = 0;

  /** Whether all tests pass within `limit` milliseconds: a change may keep a loop from ending. */
  async passes(trial: Trial, limit: number): Promise<boolean> {
    const answer = await this.#ask(trial, limit);
    return (answer === "stray" ? await this.#ask(trial, limit) : answer) === "passed";
  }

  /** Ends the process. */
  close(): void {
    this.#process?.kill("SIGKILL");
    this.#process = undefined;
  }

  async #ask(trial: Trial, limit: number): Promise<Answer | "late"> {
    if (this.#count >= mostTrials) this.close();
    if (this.#process === undefined) {
      this.#count = 0;
      this.#process = fork(join(import.meta.dirname, "trials.ts"), {
        execArgv: ["--conditions=@limmat/source", "--no-warnings"],
        stdio: ["ignore", "ignore", "ignore", "ipc"],
      });
    }
    this.#count += 1;
    const child = this.#process;
    child.send(trial);
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), limit);
    try {
      const [answer] = (await Promise.race([
        once(child, "message", { signal: late.signal }),
        once(child, "exit", { signal: late.signal }).then(() => ["failed"]),
      ])) as [Answer];
      if (answer === "stray" || child.exitCode !== null) this.close();
      return answer;
    } catch {
      this.close();
      return "late";
    } finally {
      clearTimeout(timer);
      late.abort();
    }
  }
}
