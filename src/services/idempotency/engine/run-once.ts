import { hash } from "node:crypto";
import { Random } from "../../../random/index.ts";
import { Time } from "../../../time/index.ts";
import type { Idempotency, KeyedRequest, RunOptions, RunResult, WorkOutcome } from "../contract.ts";
import { errors } from "../errors.ts";
import type { IdempotencyStore, KeyRecord } from "../store/contract.ts";

/** Durations of an idempotency service, in milliseconds. */
export interface Durations {
  readonly expiresInMs: number;
  readonly leaseMs: number;
}

/** Error that undoes a transaction and carries the value of its work. */
class Undone<T> extends Error {
  readonly value: T;

  constructor(value: T) {
    super("The changes of the work are undone");
    this.value = value;
  }
}

/** Creates `Idempotency.run` on a store. */
export function makeRunOnce(store: IdempotencyStore, { expiresInMs, leaseMs }: Durations): Idempotency["run"] {
  const newRecord = (request: KeyedRequest, nowMs: number): KeyRecord => ({
    id: hash("sha256", JSON.stringify([...request.scope, request.key]), "base64url"),
    fingerprint: hash("sha256", request.content, "base64url"),
    token: Random.uuid(),
    leasedUntil: new Date(nowMs + leaseMs),
    expiresAt: new Date(nowMs + expiresInMs),
    response: undefined,
  });

  /** Runs the work of a claimed key, and stores its response in the same transaction. */
  const runClaimed = async <T>(
    { id, token }: KeyRecord,
    work: () => Promise<WorkOutcome<T>>,
    { beforeWork, ...options }: RunOptions,
  ): Promise<T> => {
    let outcome: WorkOutcome<T> | undefined;
    // A key that is not released is free again after the lease. The work has its result nevertheless.
    const release = (): Promise<void> => store.release(id, token, options).catch(() => {});
    try {
      await beforeWork?.();
      const { value, stored } = await store.transaction(async () => {
        outcome = await work();
        if (outcome.isFailed === true) throw new Undone(outcome.value);
        if (outcome.stored !== undefined && !(await store.complete(id, token, outcome.stored, options))) {
          throw errors.E_IDEMPOTENCY_LEASE_LOST(leaseMs);
        }
        return outcome;
      }, options);
      if (stored === undefined) await release();
      return value;
    } catch (error) {
      // A response that a failed commit has stored after all stays: only a key without one is released.
      await release();
      if (error instanceof Undone) return error.value as T;
      // A statement has failed, and the work answered that with an error for the client: there is nothing to commit.
      if (store.isAborted(error) && (outcome?.stored?.status ?? 0) >= 400) return (outcome as WorkOutcome<T>).value;
      throw error;
    }
  };

  return async <T>(
    request: KeyedRequest,
    work: () => Promise<WorkOutcome<T>>,
    options: RunOptions = {},
  ): Promise<RunResult<T>> => {
    const now = Time.now();
    const record = newRecord(request, now.getTime());
    const found = await store.findOpt(record.id, options);
    const known = resultOf(found, record.fingerprint, now);
    if (known !== undefined) return known;
    if (await store.claim(record, now, options)) {
      return { kind: "completed", value: await runClaimed(record, work, options) };
    }
    // Another call was faster.
    return resultOf(await store.findOpt(record.id, options), record.fingerprint, now) ?? { kind: "running" };
  };
}

/** Returns the result that a stored key implies, `undefined` if the work may run. */
function resultOf(record: KeyRecord | undefined, fingerprint: string, now: Date): RunResult<never> | undefined {
  if (record === undefined || record.expiresAt <= now) return undefined;
  if (record.fingerprint !== fingerprint) return { kind: "reused" };
  if (record.response !== undefined) return { kind: "repeated", response: record.response };
  return record.leasedUntil > now ? { kind: "running" } : undefined;
}
