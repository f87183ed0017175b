import type { Job } from "./contract.ts";

/**
 * Makes a job. What is dispatched has the type of the input's schema, or of what `handle` takes.
 *
 * @example
 * export const sendInvoice = Queue.job({
 *   name: "invoice.send",
 *   input: Schema.record({ invoice: Schema.uuid() }),
 *   handle: async ({ invoice }, { signal }) => Invoice.send(invoice, { signal }),
 * });
 */
export function job<Handled = undefined, Input = Handled>(definition: Job<Input, Handled>): Job<Input, Handled> {
  return Object.freeze(definition);
}
