import type { Job, Queue } from "../services/queue/index.ts";

/**
 * The inputs with which a job was dispatched, in this order, whatever became of it since; as JSON holds them.
 *
 * @example
 * await alice.post("/orders", order);
 * assert.deepEqual(await dispatched(queue, sendInvoice), [{ order: "7" }]);
 */
export async function dispatched<Input>(
  queue: Pick<Queue, "search">,
  job: Job<Input, unknown>,
): Promise<readonly Input[]> {
  const inputs: Input[] = [];
  for (let total = 1; inputs.length < total;) {
    const [instances, count] = await queue.search({ name: job.name, sort: "asc", limit: 1000, offset: inputs.length });
    if (instances.length === 0) break;
    inputs.push(...instances.map(({ input }) => (input === "" ? undefined : JSON.parse(input)) as Input));
    total = count;
  }
  return inputs;
}
