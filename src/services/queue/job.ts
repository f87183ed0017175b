import type { JobDefinition } from "./contract.ts";
import { errors } from "./errors.ts";

/** Furthest time ahead at which a job can be due, in milliseconds: a hundred years. Job positions have no larger value. */
export const maxDelayMs: number = 36_525 * 86_400_000;

/**
 * Defines a job. The input type of a dispatch comes from the schema, or else from the parameter of `handle`.
 *
 * @example
 * export const sendInvoice = Queue.job({
 *   name: "invoice.send",
 *   input: Schema.record({ invoice: Schema.uuid() }),
 *   handle: async ({ invoice }, { signal }) => Invoice.send(invoice, { signal }),
 * });
 */
export function job<Handled = undefined, Input = Handled>(
  definition: JobDefinition<Input, Handled>,
): JobDefinition<Input, Handled> {
  return Object.freeze(definition);
}

/** Checks the name, the limits and the tag of a definition. @throws E_QUEUE_JOB */
export function checkDefinition(definition: JobDefinition): void {
  const { name, maxAttempts = 1, retryDelayMs = 0, timeoutMs = 1, tag = "" } = definition;
  const throwInvalid = (problem: string): never => {
    throw errors.E_QUEUE_JOB(name, problem);
  };
  if (!/^[\w.:-]{1,128}$/.test(name)) {
    throwInvalid("its name must consist of letters, digits, dots, colons, dashes and underscores, at most 128.");
  }
  if (!Number.isSafeInteger(maxAttempts) || maxAttempts < 1)
    throwInvalid("maxAttempts must be a whole number above 0.");
  if (!(retryDelayMs >= 0 && retryDelayMs <= maxDelayMs)) {
    throwInvalid("retryDelayMs must be milliseconds, at least 0 and at most a hundred years.");
  }
  if (!(timeoutMs > 0 && timeoutMs < Infinity)) throwInvalid("timeoutMs must be milliseconds, above 0.");
  checkTag(name, tag);
}

/** Checks that every store can hold a tag. @throws E_QUEUE_JOB */
export function checkTag(jobName: string, tag: string): void {
  if (tag.length > 128) throw errors.E_QUEUE_JOB(jobName, "its tag has more than 128 characters.");
  if (/\p{Cc}/u.test(tag) || !tag.isWellFormed()) {
    throw errors.E_QUEUE_JOB(jobName, "its tag contains control characters.");
  }
}
