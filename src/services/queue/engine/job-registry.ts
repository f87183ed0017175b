import { ConfigurationInternals } from "../../../config/index.ts";
import { declarationStack, type Service } from "../../../core/index.ts";
import { Log } from "../../../log/index.ts";
import type { JobDefinition } from "../contract.ts";
import { errors } from "../errors.ts";
import { checkDefinition } from "../job.ts";

const log = Log.source("limmat.queue");

/** Status of an ended attempt. `failed` means that the job has failed permanently. */
export type AttemptStatus = "succeeded" | "retried" | "failed";

/** Job definitions of a process, by name, with counters of their ended attempts. */
export class JobRegistry {
  /** True once the queue has started. */
  isQueueStarted = false;
  readonly #definitions = new Map<string, JobDefinition>();
  readonly #warned = new Set<string>();
  readonly #attemptCounts = new Map<string, number>();

  /** Names of the registered definitions. */
  get names(): readonly string[] {
    return [...this.#definitions.keys()];
  }

  /** Returns the definition of a name, if it is registered. */
  findOpt(name: string): JobDefinition | undefined {
    return this.#definitions.get(name);
  }

  /** Registers a definition. @throws E_QUEUE_JOB_TAKEN, E_QUEUE_JOB */
  add(definition: JobDefinition): void {
    checkDefinition(definition);
    this.#checkName(definition);
    this.#definitions.set(definition.name, definition);
  }

  /** Checks that a job can be dispatched; warns once if it is not registered. @throws E_QUEUE_JOB_TAKEN, E_QUEUE_JOB */
  checkDispatch(definition: JobDefinition, { declaration }: Service.Service): void {
    const { name } = definition;
    this.#checkName(definition);
    if (this.#definitions.has(name) || this.#warned.has(name)) return;
    checkDefinition(definition);
    this.#warned.add(name);
    const { projectLine } = ConfigurationInternals;
    const problem = `The job "${name}" is dispatched${projectLine(declarationStack())} but not registered`;
    const queue = `queue${projectLine(declaration)}`;
    const advice = this.isQueueStarted
      ? `Add it to the jobs of the ${queue}, or list the service that registers it`
      : `The ${queue} is not started: add it to the application's service list or to the command's dependencies`;
    log.warning(`${problem}: it waits for a process that registers it. ${advice}`, { job: name });
  }

  /** Counts an ended attempt. */
  countAttempt(name: string, status: AttemptStatus): void {
    this.#attemptCounts.set(`${status} ${name}`, this.attemptCount(name, status) + 1);
  }

  /** Returns the number of attempts of this process that ended with a status. */
  attemptCount(name: string, status: AttemptStatus): number {
    return this.#attemptCounts.get(`${status} ${name}`) ?? 0;
  }

  #checkName(definition: JobDefinition): void {
    const registered = this.#definitions.get(definition.name);
    if (registered !== undefined && registered !== definition) throw errors.E_QUEUE_JOB_TAKEN(definition.name);
  }
}
