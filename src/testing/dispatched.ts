import type { JobDefinition, Queue } from "../services/queue/index.ts";

/**
 * Returns the inputs with which a job was dispatched, in order, as their JSON decodes. Includes jobs that have run.
 *
 * @example
 * await alice.post("/orders", order);
 * assert.deepEqual(await dispatched(queue, sendInvoice), [{ order: "7" }]);
 */
export async function dispatched<Input>(
  queue: Pick<Queue, "search">,
  job: JobDefinition<Input, unknown>,
): Promise<readonly Input[]> {
  const inputs: Input[] = [];
  for (let total = 1; inputs.length < total;) {
    const [records, count] = await queue.search({ name: job.name, sort: "asc", limit: 1000, offset: inputs.length });
    if (records.length === 0) break;
    inputs.push(...records.map(({ input }) => (input === "" ? undefined : JSON.parse(input)) as Input));
    total = count;
  }
  return inputs;
}
