import { Cleaner } from "../../cleaner/index.ts";
import { background, Service } from "../../core/index.ts";
import { Log } from "../../log/index.ts";
import { type StartPeriodicTask, startPeriodicTask, Time } from "../../time/index.ts";
import type { Idempotency, IdempotencyOptions } from "./contract.ts";
import { makeRunOnce } from "./engine/run-once.ts";
import { errors } from "./errors.ts";
import type { IdempotencyStore } from "./store/contract.ts";

/** Definition of an idempotency service by its backend. */
export interface IdempotencyDefinition extends IdempotencyOptions, Partial<Pick<Service.Service, "dependencies">> {
  /** Name of the implementation, such as `sql`. */
  readonly implementation: string;
  readonly store: IdempotencyStore;
  /** Starts the deletion of expired keys. Default: a timer of the service. */
  readonly startPeriodicTask?: StartPeriodicTask;
}

const log = Log.source("limmat.idempotency");

/** Makes an idempotency service on a store. @throws E_IDEMPOTENCY_OPTION */
export function makeIdempotency(definition: IdempotencyDefinition): Idempotency {
  const { name = "idempotency", implementation, store, startPeriodicTask: startTask = startPeriodicTask } = definition;
  const { expiresInMs = Time.days(1), leaseMs = Time.seconds(60), dependencies } = definition;
  checkDuration("expiresInMs", expiresInMs);
  checkDuration("leaseMs", leaseMs);
  if (leaseMs > expiresInMs) throw errors.E_IDEMPOTENCY_OPTION("leaseMs", leaseMs, "at most expiresInMs");
  const purge: Idempotency["purge"] = (options = {}) => store.purge(Time.now(), options);

  return {
    ...Service.make({
      name,
      implementation,
      ...(dependencies === undefined ? {} : { dependencies }),
      ...background(() => [
        Cleaner.register(name, (options) => store.clear(options)),
        startTask({
          intervalMs: Time.hours(1),
          run: purge,
          onError: (error) => log.warning("Expired idempotency keys could not be deleted", { error }),
        }),
      ]),
    }),
    run: makeRunOnce(store, { expiresInMs, leaseMs }),
    purge,
  };
}

function checkDuration(name: string, value: number): void {
  if (!Number.isSafeInteger(value) || value < 1)
    throw errors.E_IDEMPOTENCY_OPTION(name, value, "a whole number of milliseconds above 0");
}
