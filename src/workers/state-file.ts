import { renameSync, rmSync, writeFileSync } from "node:fs";
import { Log } from "../log/index.ts";
import { Time } from "../time/index.ts";
import { realProgramPath } from "./fork.ts";
import type { SupervisionState } from "./supervise.ts";

const log = Log.source("limmat.workers");

/** Content of the state file. */
export interface SupervisorState extends SupervisionState {
  /** Process ID of the supervisor. */
  readonly pid: number;
  /** Version of Node that runs the supervisor. */
  readonly node: string;
  /** Real path of the supervisor's program at its start. */
  readonly program: string;
  /** Time of the supervisor's start, ISO 8601. */
  readonly startedAt: string;
}

/** JSON file with the state of a supervision, which exists while the supervisor runs. A reader never sees a part of it. */
export class StateFile implements Disposable {
  readonly #path: string;
  readonly #supervisor = {
    pid: process.pid,
    node: process.versions.node,
    program: realProgramPath(),
    startedAt: Time.now().toISOString(),
  };

  constructor(path: string) {
    this.#path = path;
    this.write({ workers: [], reloads: 0, reload: "none" });
  }

  /** Writes the state. A failure is logged: it must not end the workers. */
  write({ workers, ...state }: SupervisionState): void {
    const content: SupervisorState = {
      ...this.#supervisor,
      ...state,
      workers: workers.map(({ number, pid, program }) => ({ number, pid, program })),
    };
    const partialPath = `${this.#path}.partial`;
    try {
      writeFileSync(partialPath, `${JSON.stringify(content)}\n`, { mode: 0o600 });
      renameSync(partialPath, this.#path);
    } catch (error) {
      log.error("The state file could not be written", { error });
    }
  }

  [Symbol.dispose](): void {
    rmSync(this.#path, { force: true });
  }
}
