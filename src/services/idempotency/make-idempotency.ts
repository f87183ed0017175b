import { hash } from "node:crypto";
import { Cleaner } from "../../cleaner/index.ts";
import { background, Service } from "../../core/index.ts";
import { Log } from "../../log/index.ts";
import { Random } from "../../random/index.ts";
import { type StartPeriodicTask, startPeriodicTask, Time } from "../../time/index.ts";
import type { Idempotency, IdempotencyOptions, RunOptions, RunResult, WorkOutcome } from "./contract.ts";
import { checkCount, errors } from "./errors.ts";
import type { IdempotencyStore, KeyRecord } from "./store/contract.ts";

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
  const { expiresInMs = Time.days(1), leaseMs = Time.seconds(60), dependencies = () => [] } = definition;
  const milliseconds = "a whole number of milliseconds above 0";
  checkCount("expiresInMs", expiresInMs, milliseconds);
  checkCount("leaseMs", leaseMs, milliseconds);
  if (leaseMs > expiresInMs) throw errors.E_IDEMPOTENCY_OPTION("leaseMs", leaseMs, "at most expiresInMs");
  const purge: Idempotency["purge"] = (options = {}) => store.purge(Time.now(), options);

  return {
    ...Service.make({
      name,
      implementation,
      dependencies,
      ...background(() => [
        Cleaner.register(name, (options) => store.clear?.(options), { isInMemory: implementation === "memory" }),
        startTask({
          intervalMs: Time.hours(1),
          run: purge,
          onError: (error) => log.warning("Expired idempotency keys could not be deleted", { error }),
        }),
      ]),
    }),
    run: makeRunOnce(store, expiresInMs, leaseMs),
    purge,
  };
}

/** Error that undoes the transaction of failed work. */
const undo = new Error("The changes of the work are undone");

/** Creates `Idempotency.run` on a store. */
function makeRunOnce(store: IdempotencyStore, expiresInMs: number, leaseMs: number): Idempotency["run"] {
  /** Runs the work of a claimed key, and stores its response, by default in the same transaction. */
  const runClaimed = async <T>(
    { id, token }: KeyRecord,
    work: () => Promise<WorkOutcome<T>>,
    { beforeWork, hasTransaction = true, ...options }: RunOptions,
  ): Promise<T> => {
    let outcome: WorkOutcome<T> | undefined;
    // A key that is not released is free again after the lease. The work has its result nevertheless.
    const release = (): Promise<void> => store.release(id, token, options).catch(() => {});
    const runAndStore = async (): Promise<WorkOutcome<T>> => {
      outcome = await work();
      if (outcome.isFailed === true) throw undo;
      if (outcome.stored !== undefined && !(await store.complete(id, token, outcome.stored, options))) {
        throw errors.E_IDEMPOTENCY_LEASE_LOST(leaseMs);
      }
      return outcome;
    };
    try {
      await beforeWork?.();
      const { value, stored } = await (hasTransaction ? store.transaction(runAndStore, options) : runAndStore());
      if (stored === undefined) await release();
      return value;
    } catch (error) {
      if (!hasTransaction && outcome !== undefined && error !== undo) {
        // The changes stay, so the client gets their response, and the key is not free before the end of the lease.
        log.warning("The response could not be stored, so a repetition may run the work again", { error });
        return outcome.value;
      }
      // A response that a failed commit has stored after all stays: only a key without one is released.
      await release();
      // A statement has failed, and the work answered that with an error for the client: there is nothing to commit.
      const hasAnswered = store.isAborted(error) && (outcome?.stored?.status ?? 0) >= 400;
      if (outcome !== undefined && (error === undo || hasAnswered)) return outcome.value;
      throw error;
    }
  };

  return async (request, work, options = {}) => {
    const now = Time.now();
    const record: KeyRecord = {
      id: hash("sha256", JSON.stringify([...request.scope, request.key]), "base64url"),
      fingerprint: hash("sha256", request.content, "base64url"),
      token: Random.uuid(),
      leasedUntil: new Date(now.getTime() + leaseMs),
      expiresAt: new Date(now.getTime() + expiresInMs),
      response: undefined,
    };
    const findResult = async (): Promise<RunResult<never> | undefined> =>
      resultOf(await store.findOpt(record.id, options), record.fingerprint, now);
    const known = await findResult();
    if (known !== undefined) return known;
    if (await store.claim(record, now, options)) {
      return { kind: "completed", value: await runClaimed(record, work, options) };
    }
    // Another call was faster.
    return (await findResult()) ?? { kind: "running" };
  };
}

/** Returns the result that a stored key implies, `undefined` if the work may run. */
function resultOf(record: KeyRecord | undefined, fingerprint: string, now: Date): RunResult<never> | undefined {
  if (record === undefined || record.expiresAt <= now) return undefined;
  if (record.fingerprint !== fingerprint) return { kind: "reused" };
  if (record.response !== undefined) return { kind: "repeated", response: record.response };
  return record.leasedUntil > now ? { kind: "running" } : undefined;
}
