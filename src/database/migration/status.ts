import type { Dialect } from "../contract.ts";
import type { BatchProgress } from "./batch-definition.ts";
import type { AppliedStep } from "./state.ts";
import { checksum, type Migration, type Step, stepKey } from "./step.ts";

/**
 * State of a step. `applied`; `pending`: not run yet; `half-done`: started and not finished; `started`: a step in batches
 * that goes on at the next run; `changed`: applied, but its SQL differs now; `unknown`: applied, but this application does
 * not define it.
 */
export type StepState = "applied" | "pending" | "half-done" | "started" | "changed" | "unknown";

/** Step with its state. */
export interface StepStatus {
  readonly namespace: string;
  readonly number: number;
  readonly name: string;
  readonly state: StepState;
  readonly applied_at: Date | null;
  readonly duration_ms: number | null;
  /** Rows of a started step in batches. */
  readonly progress?: BatchProgress;
}

/** Step with its namespace and number. */
export interface NumberedStep {
  readonly namespace: string;
  readonly number: number;
  readonly step: Step;
}

type StepId = Pick<NumberedStep, "namespace" | "number">;

/** Returns all steps of migrations, in order. */
export function numberSteps(migrations: readonly Migration[]): readonly NumberedStep[] {
  return migrations.flatMap(({ namespace, steps }) =>
    steps.map((step, index) => ({ namespace, number: index + 1, step })),
  );
}

/** Returns the label of a step in messages. */
export function stepLabel({ namespace, number, name }: StepId & { readonly name: string }): string {
  return `${namespace} ${number} "${name}"`;
}

/** Returns the status of each step: the application's steps in order, then steps that only the database contains. */
export function stepStatuses(
  migrations: readonly Migration[],
  applied: readonly AppliedStep[],
  dialect: Dialect,
  progress: ReadonlyMap<string, { readonly batches?: { readonly done: number; readonly total?: number } }> = new Map(),
): readonly StepStatus[] {
  const remainingRows = new Map(applied.map((row) => [stepKey(row), row]));
  const defined = numberSteps(migrations).map(({ namespace, number, step }): StepStatus => {
    const key = stepKey({ namespace, number });
    const row = remainingRows.get(key);
    remainingRows.delete(key);
    const batches = progress.get(key)?.batches;
    return {
      namespace,
      number,
      name: step.name,
      state: row === undefined ? "pending" : stateOf(row, step, dialect),
      applied_at: row?.applied_at ?? null,
      duration_ms: row?.duration_ms ?? null,
      ...(batches === undefined ? {} : { progress: { done: batches.done, total: batches.total } }),
    };
  });
  const unknown = remainingRows.values().map(({ namespace, number, name, applied_at, duration_ms }) => {
    const isHalfDone = applied_at === null && progress.get(stepKey({ namespace, number }))?.batches === undefined;
    const state = isHalfDone ? "half-done" : "unknown";
    return { namespace, number, name, state, applied_at, duration_ms } satisfies StepStatus;
  });
  return [...defined, ...unknown];
}

function stateOf(row: AppliedStep, step: Step, dialect: Dialect): StepState {
  if (row.applied_at === null) return step.batches === undefined ? "half-done" : "started";
  return row.checksum === checksum(step.up, dialect) ? "applied" : "changed";
}

/** Returns true if a step must run before the application can use its tables. */
export const isPending = ({ state }: StepStatus): boolean =>
  state === "pending" || state === "half-done" || state === "started";
