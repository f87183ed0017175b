import type { BatchProgress } from "./batch-definition.ts";
import type { Migration, Step } from "./step.ts";

/**
 * State of a step. `applied`; `pending`: not run yet; `half-done`: started and not finished; `started`: a step in batches
 * that goes on at the next run; `changed`: applied, but its SQL differs now; `moved`: applied, but in another order; `unknown`:
 * applied, but this application does not define it.
 */
export type StepState = "applied" | "pending" | "half-done" | "started" | "changed" | "moved" | "unknown";

/** Step with its state. */
export interface StepStatus {
  readonly namespace: string;
  /** Position in the list of steps. */
  readonly number: number;
  readonly name: string;
  readonly state: StepState;
  readonly applied_at: Date | null;
  readonly duration_ms: number | null;
  /** Rows of a started step in batches. */
  readonly progress?: BatchProgress;
}

/** Step with its namespace and its position in the list of steps. */
export interface NumberedStep {
  readonly namespace: string;
  readonly number: number;
  readonly name: string;
  readonly step: Step;
}

/** Returns all steps of migrations, in order. */
export function numberSteps(migrations: readonly Migration[]): readonly NumberedStep[] {
  return migrations.flatMap(({ namespace, steps }) =>
    steps.map((step, index) => ({ namespace, number: index + 1, name: step.name, step })),
  );
}

/** Returns the label of a step in messages. */
export function stepLabel({ namespace, number, name }: Pick<NumberedStep, "namespace" | "number" | "name">): string {
  return `${namespace} ${number} "${name}"`;
}

/** Returns true if a step must run before the application can use its tables. */
export const isPending = ({ state }: StepStatus): boolean =>
  state === "pending" || state === "half-done" || state === "started";
