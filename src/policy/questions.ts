import { AsyncLocalStorage } from "node:async_hooks";
import { isDeepStrictEqual } from "node:util";
import { lazy } from "../core/index.ts";
import type { SqlPart } from "../database/index.ts";
import { observeStatements } from "../database/observation/index.ts";
import { Log } from "../log/index.ts";
import type { RelatedTable } from "../table/index.ts";
import { relationOf } from "./condition.ts";
import type { AnyRule, User } from "./rule.ts";

const log = Log.source("limmat.policy");

/** Relation to the row that a foreign key refers to, about which the rule `see` of a table asks. */
export interface PolicyParent {
  readonly column: string;
  readonly target: string;
  /** True if a row is seen by everybody who sees its parent. */
  readonly isEnough: boolean;
  /** True if a parent is seen by everybody who sees a row of it. */
  readonly isImplied: boolean;
}

/** Table with a policy. */
export interface PolicyTable {
  readonly table: RelatedTable;
  readonly see: AnyRule;
  readonly parents: () => readonly PolicyParent[];
}

/**
 * Observer of questions about rows or their ids, or for a condition. A list of what an actor may see says nothing about changes,
 * unless the policy has no other action.
 */
type QuestionObserver = (table: string, about: SqlPart | readonly unknown[], isForChange: boolean) => void;

const state: { readonly tables: Map<string, PolicyTable>; readonly observers: Set<QuestionObserver> } = {
  tables: new Map(),
  observers: new Set(),
};

/** Returns the tables with a policy, by name in lower case. */
export const policyTables = (): ReadonlyMap<string, PolicyTable> => state.tables;

/** Registers the policy of a table, for tests that find forgotten questions. */
export function registerTable(table: RelatedTable, see: AnyRule): void {
  state.tables.set(table.name.toLowerCase(), { table, see, parents: () => parentsOf(table, see, true, true) });
}

function parentsOf(table: RelatedTable, rule: AnyRule, isEnough: boolean, isImplied: boolean): readonly PolicyParent[] {
  if (typeof rule === "function" || rule.kind === "anyone") return [];
  if (rule.kind === "not") return parentsOf(table, rule.rule, false, false);
  if (rule.kind !== "related") {
    const isOnly = rule.rules.length === 1;
    const [any, all] = [isOnly || rule.kind === "any", isOnly || rule.kind === "all"];
    return rule.rules.flatMap((part) => parentsOf(table, part, isEnough && any, isImplied && all));
  }
  const { kind, column, target } = relationOf(table, rule.relation);
  if (kind !== "belongsTo") return [];
  const isSame = state.tables.get(target.name.toLowerCase())?.see === rule.rule;
  return [{ column, target: target.name, isEnough: isEnough && isSame, isImplied: isImplied && isSame }];
}

/** Calls back with each question to a policy of this process, until the returned function is called. For tests. */
export function observeQuestions(observer: QuestionObserver): () => void {
  state.observers.add(observer);
  return () => void state.observers.delete(observer);
}

/** Notifies the observers of a question. */
export function notifyQuestion(...question: Parameters<QuestionObserver>): void {
  for (const observer of state.observers) observer(...question);
}

/** Question of a user: about the row with an id, or without one about all rows, as their condition. */
export interface Question {
  /** Rules of the policy. */
  readonly rules: object;
  readonly action: string;
  readonly user: User | undefined;
  readonly id?: string;
  readonly database?: object;
  readonly pool?: string | undefined;
}

/** Allowed questions of a callback of `once`; `undefined` after its end. */
interface Answered {
  questions: Question[] | undefined;
}

const onceScope = new AsyncLocalStorage<Answered>({ name: "limmat.policy.once" });

// A lock is taken to read what nobody changes afterwards.
const readPattern = /^(?:\/\*.*?\*\/ ?)?select\b(?!.* for )/i;

/** Forgets the rows of a callback before a statement that may change them. One observer serves all callbacks. */
const observeChanges = lazy(() =>
  observeStatements((statement) => {
    const answered = onceScope.getStore();
    if (answered?.questions === undefined || readPattern.test(statement.text)) return;
    answered.questions = answered.questions.filter(({ id }) => id === undefined);
  }),
);

/**
 * Calls a function, in which an allowed question about a row is not asked a second time, unless a statement may have changed the
 * answer. `isAsked` returns true if something was allowed on a row with these rules to this user, or on those of a condition.
 */
export async function once<Result>(
  callback: (isAsked: (rules: object, user: User | undefined, id?: string) => boolean) => Promise<Result>,
): Promise<Result> {
  const answered: Answered = { questions: [] };
  observeChanges();
  const isAsked = (rules: object, user: User | undefined, rowId?: string): boolean =>
    answered.questions?.some(
      ({ id, ...known }) => (id ?? rowId) === rowId && known.rules === rules && isSameUser(user, known.user),
    ) === true;
  try {
    return await onceScope.run(answered, () => callback(isAsked));
  } finally {
    // Work that goes on asks again.
    answered.questions = undefined;
  }
}

/** Returns true for the same user, also with fewer properties: rules that need no more may get the id alone. */
const isSameUser = (user: User | undefined, other: User | undefined): boolean =>
  user === other ||
  (user !== undefined && other !== undefined && isDeepStrictEqual({ ...user, ...other }, { ...user }));

const identity = ["rules", "action", "id", "database", "pool"] as const;

/** Returns true if the callback of `once` has asked this question about a row, and it was allowed. */
export const isAllowed = (question: Question): boolean =>
  onceScope
    .getStore()
    ?.questions?.some(
      (known) => identity.every((key) => known[key] === question[key]) && isSameUser(known.user, question.user),
    ) === true;

/** Remembers an allowed question in the callback of `once`. */
export const rememberAllowed = (question: Question): void => void onceScope.getStore()?.questions?.push(question);

const uncheckedScope = new AsyncLocalStorage<string>({ name: "limmat.policy" });

/** Returns true in a callback of `unchecked`. */
export const isUnchecked = (): boolean => uncheckedScope.getStore() !== undefined;

/**
 * Runs a callback that reads or changes rows without a question to a policy, for a reason. It changes no rights: tests that look
 * for forgotten questions (`forbidUnaskedPolicies`) accept it, and the log names the reason at the level `debug`.
 *
 * @example
 * await Policy.unchecked("the creator becomes an admin", () => members.insert(database, membership, options));
 */
export function unchecked<Result>(reason: string, callback: () => Result): Result {
  log.debug(`No policy is asked: ${reason}`);
  return uncheckedScope.run(reason, callback);
}
