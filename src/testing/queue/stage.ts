import { Cleaner } from "../../cleaner/index.ts";
import { Service } from "../../core/index.ts";
import type { Job, Queue, QueueOptions } from "../../services/queue/index.ts";
import type { TestRunner } from "../database/subject.ts";
import { configuration } from "../replace.ts";

/** What the contract of queues is checked on. */
export interface QueueSubject {
  /**
   * Makes a queue on a store that only this run uses. Called several times: all of them share the store, as the processes
   * of an application do.
   */
  readonly make: (options: QueueOptions) => Queue;
  /** The services that must be started before it, such as that which makes its tables. */
  readonly services: readonly Service.Service[];
}

/** What the cases are given. */
export interface QueueSetting {
  readonly runner: TestRunner;
  /** Gives what opens queues on the store, which is emptied first. */
  readonly stage: () => Stage;
}

/** Opens queues, and ends them at the end of the scope. */
export class Stage implements AsyncDisposable {
  readonly #subject: QueueSubject;
  readonly #opened = new Set<Queue>();
  #isEmptied = false;

  constructor(subject: QueueSubject) {
    this.#subject = subject;
  }

  /** Starts a queue that knows these jobs and works none by itself. */
  async open(...jobs: readonly Job[]): Promise<Queue> {
    const queue = this.#subject.make({ jobs: () => jobs });
    await queue.start({ services: [queue] });
    if (!this.#isEmptied) await Cleaner.cleanAll();
    this.#isEmptied = true;
    this.#opened.add(queue);
    return queue;
  }

  /** The same for a queue that works, as in a process that runs the server. */
  async work(...jobs: readonly Job[]): Promise<Queue> {
    using _ = configuration({ QUEUE_PROCESS: "true" });
    const queue = await this.open(...jobs);
    await this.ready(queue);
    return queue;
  }

  /** Tells a queue that all has started, in a process that runs the server. */
  async ready(queue: Queue): Promise<void> {
    await queue.ready?.({ services: [queue, server] });
  }

  /** Ends a queue before the end of the scope, as the end of its process does. */
  async end(queue: Queue): Promise<void> {
    this.#opened.delete(queue);
    await queue.drain?.();
    await queue.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const queue of this.#opened) await this.end(queue);
  }
}

const server = Service.make({ name: "server", fetch: () => Promise.resolve(new Response()) });
