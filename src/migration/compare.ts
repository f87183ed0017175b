import type { Dialect } from "../database/index.ts";
import type { AppliedStep, StepProgress } from "./state.ts";
import {
  hasChecksum,
  isOldChecksum,
  type Migration,
  type NumberedStep,
  numberSteps,
  type StepId,
  stepKey,
  stepLabel,
  type StepState,
  type StepStatus,
} from "./step.ts";

/** Steps of the application, compared with those that the database records. */
export interface StepComparison {
  /** The application's steps in order, then steps that only the database records. */
  readonly statuses: readonly StepStatus[];
  /** Rows of the application's steps, by the keys of the steps. */
  readonly rows: ReadonlyMap<string, AppliedStep>;
  /** Rows of namespaces of this application without a step. */
  readonly surplus: readonly AppliedStep[];
  /** Rows of steps that only have another name now. */
  readonly renamed: ReadonlyMap<AppliedStep, NumberedStep>;
  /** Second rows of steps, which an older version ran again at another position. */
  readonly copies: readonly AppliedStep[];
  /** Sentences about applied steps that were edited, moved, renamed or removed, by namespace. */
  readonly differences: readonly Difference[];
  /** Labels of steps that an older version recorded with other SQL. It was not an error there. */
  readonly edited: readonly string[];
  /**
   * Labels of steps that were applied after all steps of this application, none of which is pending: a newer release has
   * applied them, or they were removed since then.
   */
  readonly newer: readonly string[];
  /** Labels of pending steps that stand before an applied one: a merge has added them. */
  readonly late: readonly string[];
}

/** Difference of an applied step to the application, which an error reports. */
interface Difference {
  readonly namespace: string;
  readonly text: string;
  readonly declaration: Error | undefined;
}

/** Compares the steps of an application with the rows of the state table. A step is known by its namespace and name. */
export function compareSteps(
  migrations: readonly Migration[],
  applied: readonly AppliedStep[],
  dialect: Dialect,
  progress: ReadonlyMap<string, StepProgress> = new Map(),
): StepComparison {
  const defined = numberSteps(migrations);
  const { rows, others, copies } = matchRows(defined, applied, dialect);
  const rowOf = (numbered: NumberedStep): AppliedStep | undefined => rows.get(stepKey(numbered));
  const hasRow = (numbered: NumberedStep): boolean => rowOf(numbered) !== undefined;
  const moved = findMoved(defined, rows);
  const edited = defined.filter((numbered) => isEdited(numbered, rowOf(numbered), dialect));
  const stateOf = (numbered: NumberedStep, row: AppliedStep): StepState => {
    if (row.applied_at === null) return numbered.step.batches === undefined ? "half-done" : "started";
    return edited.includes(numbered) ? "changed" : moved.has(numbered) ? "moved" : "applied";
  };
  const definedStatuses = defined.map((numbered): StepStatus => {
    const { namespace, number, name } = numbered;
    const row = rowOf(numbered);
    const state = row === undefined ? "pending" : stateOf(numbered, row);
    const batches = row === undefined ? undefined : progress.get(stepKey(row))?.batches;
    return {
      namespace,
      number,
      name,
      state,
      applied_at: row?.applied_at ?? null,
      duration_ms: row?.duration_ms ?? null,
      ...(batches === undefined ? {} : { progress: { done: batches.done, total: batches.total } }),
    };
  });
  const otherStatuses = others.map((row): StepStatus => {
    const { namespace, number, name, applied_at, duration_ms } = row;
    const isHalfDone = applied_at === null && progress.get(stepKey(row))?.batches === undefined;
    return { namespace, number, name, state: isHalfDone ? "half-done" : "unknown", applied_at, duration_ms };
  });

  // Other namespaces belong to another application, or to a service that this one does not use.
  const namespaces = new Set(migrations.map(({ namespace }) => namespace));
  const surplus = others.filter(({ namespace }) => namespaces.has(namespace));
  const isNewer = (row: AppliedStep): boolean => {
    const siblings = defined.filter(({ namespace }) => namespace === row.namespace);
    return siblings.every((numbered) => {
      const known = rowOf(numbered);
      return known !== undefined && (known.number < row.number || known.started_at < row.started_at);
    });
  };
  const renamed = new Map(
    surplus.flatMap((row) => {
      const step = defined.find(
        (numbered) => !hasRow(numbered) && hasSameSql(numbered, row, dialect) && !isBatches(numbered),
      );
      return step === undefined ? [] : [[row, step] as const];
    }),
  );
  const missing = surplus.filter((row) => !renamed.has(row));
  const isOld = (numbered: NumberedStep): boolean => isOldChecksum(rowOf(numbered)?.checksum ?? "");
  const difference = (step: StepId, text: string, numbered?: NumberedStep): Difference => ({
    namespace: step.namespace,
    text: `${stepLabel(step)} ${text}`,
    declaration: numbered?.step.declaration,
  });
  return {
    statuses: [...definedStatuses, ...otherStatuses],
    rows,
    surplus,
    renamed,
    copies,
    differences: [
      ...edited.filter((numbered) => !isOld(numbered)).map((numbered) => difference(numbered, "was edited", numbered)),
      ...[...moved].map(([numbered, before]) =>
        difference(numbered, `was moved behind ${stepLabel(before)}`, numbered),
      ),
      ...[...renamed].map(([row, step]) => difference(row, `was renamed to "${step.name}"`, step)),
      ...missing.filter((row) => !isNewer(row)).map((row) => difference(row, "was removed")),
    ],
    edited: edited.filter(isOld).map(stepLabel),
    late: defined
      .filter((numbered, index) => {
        const following = defined.slice(index).filter(({ namespace }) => namespace === numbered.namespace);
        return !hasRow(numbered) && following.some(hasRow);
      })
      .map(stepLabel),
    newer: missing.filter(isNewer).map(stepLabel),
  };
}

const isBatches = ({ step }: NumberedStep): boolean => step.batches !== undefined;

const hasSameSql = ({ namespace, step }: NumberedStep, row: AppliedStep, dialect: Dialect): boolean =>
  row.namespace === namespace && hasChecksum(row.checksum, step.up, dialect);

/** Returns true if an applied step, or a step in batches that will go on, has other SQL than the one that ran. */
function isEdited(numbered: NumberedStep, row: AppliedStep | undefined, dialect: Dialect): boolean {
  if (row === undefined || (row.applied_at === null && !isBatches(numbered))) return false;
  return !hasSameSql(numbered, row, dialect);
}

/** Returns the rows of the defined steps, by the keys of the steps, second rows of them, and the other rows. */
function matchRows(defined: readonly NumberedStep[], applied: readonly AppliedStep[], dialect: Dialect) {
  const rows = new Map<string, AppliedStep>();
  const others = new Set(applied);
  const match = (numbered: NumberedStep, isRow: (row: AppliedStep) => boolean): void => {
    const row = rows.has(stepKey(numbered)) ? undefined : [...others].find(isRow);
    if (row === undefined) return;
    rows.set(stepKey(numbered), row);
    others.delete(row);
  };
  // Before the state table is upgraded, several rows of a namespace may have one name.
  for (const numbered of defined) {
    const isNamed = (row: AppliedStep): boolean => stepKey(row) === stepKey(numbered);
    match(numbered, (row) => isNamed(row) && hasSameSql(numbered, row, dialect));
    match(numbered, isNamed);
  }
  for (const numbered of defined) {
    match(numbered, (row) => isDuplicate(row, applied) && hasSameSql(numbered, row, dialect));
  }
  const isCopy = (row: AppliedStep): boolean =>
    isDuplicate(row, applied) &&
    defined.some((numbered) => rows.has(stepKey(numbered)) && hasSameSql(numbered, row, dialect));
  const copies = [...others].filter(isCopy);
  return { rows, copies, others: [...others].filter((row) => !copies.includes(row)) };
}

/** Returns true for a row whose step had the same name as another one, which an older version allowed. */
const isDuplicate = (row: AppliedStep, applied: readonly AppliedStep[]): boolean =>
  row.name.endsWith(` #${row.number}`) || applied.some((other) => other !== row && stepKey(other) === stepKey(row));

/** Returns the steps that stand behind a step that was applied after them, with that step. */
function findMoved(defined: readonly NumberedStep[], rows: ReadonlyMap<string, AppliedStep>) {
  const moved = new Map<NumberedStep, NumberedStep>();
  const last = new Map<string, { readonly numbered: NumberedStep; readonly row: AppliedStep }>();
  for (const numbered of defined) {
    const row = rows.get(stepKey(numbered));
    if (row === undefined) continue;
    const before = last.get(numbered.namespace);
    if (before !== undefined && before.row.number > row.number) moved.set(numbered, before.numbered);
    else last.set(numbered.namespace, { numbered, row });
  }
  return moved;
}
