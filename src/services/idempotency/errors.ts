import { type Catalogue, catalogue } from "../../core/index.ts";

const entries = {
  E_IDEMPOTENCY_KEY: {
    status: 400,
    message: (): string =>
      'The header Idempotency-Key must hold one key of 1 to 255 characters: text in double quotes, such as "8e03978e-40d5", ' +
      "or letters, digits, and the characters . _ : and - without quotes.",
  },
  E_IDEMPOTENCY_KEY_MISSING: {
    status: 400,
    message: (): string =>
      "This route needs the header Idempotency-Key. Send a new key, such as a UUID, with each new request, and the same " +
      "key with each repetition.",
  },
  E_IDEMPOTENCY_USER: {
    status: 401,
    message: "The header Idempotency-Key is for signed-in users, because a key belongs to its user.",
  },
  E_IDEMPOTENCY_RUNNING: {
    status: 409,
    message: "A request with this Idempotency-Key is being processed. Repeat this one in a moment to get its response.",
  },
  E_IDEMPOTENCY_REUSED: {
    status: 422,
    message:
      "This Idempotency-Key was sent with another request, so nothing was done. Send a new key with a new request.",
  },
  E_IDEMPOTENCY_LIMIT: {
    status: 429,
    message: (maxKeysPerDay: number): string =>
      `You have sent more than ${maxKeysPerDay} new values of Idempotency-Key in a day, so nothing was done. Repeat this request later.`,
  },
  E_IDEMPOTENCY_RESPONSE_LOST: {
    status: 409,
    message: (status: number): string =>
      `The request with this Idempotency-Key was processed with the status ${status}. Its response was a stream, or too large to store. ` +
      "Read the result from the resource.",
  },
  E_IDEMPOTENCY_LEASE_LOST: {
    status: 503,
    message: (leaseMs: number): string =>
      `The request took longer than the lease of its Idempotency-Key, ${leaseMs} ms, and a repetition has taken over. The ` +
      "changes of this one are undone. Raise leaseMs above the longest request.",
  },
  E_IDEMPOTENCY_OPTION: (name: string, value: unknown, allowed: string): string =>
    `The option "${name}" of the idempotency service must be ${allowed}. Given: ${String(value)}.`,
};

/** Error catalogue of the module. */
export const errors: Catalogue<typeof entries> = catalogue(entries);

/** Checks an option that is a whole number above 0. @throws E_IDEMPOTENCY_OPTION */
export function checkCount(name: string, value: number, allowed = "a whole number above 0"): void {
  if (!Number.isSafeInteger(value) || value < 1) throw errors.E_IDEMPOTENCY_OPTION(name, value, allowed);
}
