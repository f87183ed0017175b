import type { Dialect } from "../contract.ts";
import type { Applied } from "./state.ts";
import { checksum, type Migration, type Step } from "./step.ts";

/**
 * `applied`; `pending`: to be run; `half-done`: begun, and not finished; `changed`: applied, but its SQL is now
 * another; `unknown`: applied, but by code that this application does not have.
 */
export type StepState = "applied" | "pending" | "half-done" | "changed" | "unknown";

/** A step and where it stands. */
export interface StepStatus {
  readonly namespace: string;
  readonly number: number;
  readonly name: string;
  readonly state: StepState;
  readonly applied_at: Date | null;
  readonly duration_ms: number | null;
}

/** A step with its place. */
export interface Placed {
  readonly namespace: string;
  readonly number: number;
  readonly step: Step;
}

/** All steps of migrations, in order. */
export function placed(migrations: readonly Migration[]): readonly Placed[] {
  return migrations.flatMap(({ namespace, steps }) =>
    steps.map((step, index) => ({ namespace, number: index + 1, step })),
  );
}

/** What messages call a step. */
export function label({ namespace, number, name }: { namespace: string; number: number; name: string }): string {
  return `${namespace} ${number} "${name}"`;
}

/** Where each step stands: those of the application in their order, then those that only the database knows. */
export function statusOf(
  migrations: readonly Migration[],
  applied: readonly Applied[],
  dialect: Dialect,
): readonly StepStatus[] {
  const key = ({ namespace, number }: { namespace: string; number: number }): string => `${namespace} ${number}`;
  const rows = new Map(applied.map((row) => [key(row), row]));
  const known = placed(migrations).map(({ namespace, number, step }): StepStatus => {
    const row = rows.get(key({ namespace, number }));
    rows.delete(key({ namespace, number }));
    const state = row === undefined ? "pending" : stateOf(row, step, dialect);
    return {
      namespace,
      number,
      name: step.name,
      state,
      applied_at: row?.applied_at ?? null,
      duration_ms: row?.duration_ms ?? null,
    };
  });
  const unknown = rows.values().map(({ namespace, number, name, applied_at, duration_ms }) => {
    const state = applied_at === null ? "half-done" : "unknown";
    return { namespace, number, name, state, applied_at, duration_ms } satisfies StepStatus;
  });
  return [...known, ...unknown];
}

function stateOf(row: Applied, step: Step, dialect: Dialect): StepState {
  if (row.applied_at === null) return "half-done";
  return row.checksum === checksum(step.up, dialect) ? "applied" : "changed";
}
