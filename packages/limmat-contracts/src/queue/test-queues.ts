import { Cleaner, Service } from "limmat";
import type { JobDefinition, Queue, QueueOptions } from "limmat/queue";
import type { TestRunner } from "../database/subject.ts";
import { configuration } from "limmat/testing";

/** Queue under test. */
export interface QueueSubject {
  /**
   * Makes a queue on a store that only this run uses. It is called several times. All queues share the store, like the
   * processes of an application.
   */
  readonly make: (options: QueueOptions) => Queue;
  /** Services to start before the queue, such as its migrations. */
  readonly services: readonly Service.Service[];
}

/** Context of the test cases. */
export interface QueueContractContext {
  readonly runner: TestRunner;
  /** Returns a starter of queues. It empties the store before it starts the first queue. */
  readonly openQueues: () => TestQueues;
}

/** Starts queues on one store, and stops them at the end of the scope. */
export class TestQueues implements AsyncDisposable {
  readonly #subject: QueueSubject;
  readonly #queues = new Set<Queue>();
  #isEmptied = false;

  constructor(subject: QueueSubject) {
    this.#subject = subject;
  }

  /** Starts a queue with these jobs, without a worker. */
  async start(...jobs: readonly JobDefinition[]): Promise<Queue> {
    const queue = this.#subject.make({ jobs: () => jobs });
    await queue.start({ services: [queue] });
    if (!this.#isEmptied) await Cleaner.cleanAll();
    this.#isEmptied = true;
    this.#queues.add(queue);
    return queue;
  }

  /** Starts a queue with a worker, as in a process that runs the server. */
  async startWorker(...jobs: readonly JobDefinition[]): Promise<Queue> {
    using _ = configuration({ QUEUE_PROCESS: "true" });
    const queue = await this.start(...jobs);
    await this.notifyReady(queue);
    return queue;
  }

  /** Notifies a queue that all services have started, in a process that runs the server. */
  async notifyReady(queue: Queue): Promise<void> {
    await queue.ready?.({ services: [queue, server] });
  }

  /** Stops a queue before the end of the scope, like the shutdown of its process. */
  async stop(queue: Queue): Promise<void> {
    this.#queues.delete(queue);
    await queue.drain?.();
    await queue.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const queue of this.#queues) await this.stop(queue);
  }
}

const server = Service.make({ name: "server", fetch: () => Promise.resolve(new Response()) });
