import { AsyncLocalStorage } from "node:async_hooks";
import type { SqlPart } from "../database/index.ts";
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

/** Notifies the observers of a question, and the callback of `once` that asks it. */
export function notifyQuestion(...question: Parameters<QuestionObserver>): void {
  for (const observer of state.observers) observer(...question);
  onceScope.getStore()?.tables.add(question[0]);
}

/** Questions that a callback of `once` has asked. */
interface Answered {
  readonly tables: Set<string>;
  /** Ids of users and rows, by the rule that allowed them. */
  readonly allowed: Map<AnyRule, Set<string>>;
}

const onceScope = new AsyncLocalStorage<Answered>({ name: "limmat.policy.once" });

/**
 * Calls a function, in which a question that was allowed is not asked a second time. `isAsked` returns true after a question about
 * a table.
 */
export function once<Result>(table: string, callback: (isAsked: () => boolean) => Result): Result {
  const answered: Answered = { tables: new Set(), allowed: new Map() };
  return onceScope.run(answered, () => callback(() => answered.tables.has(table)));
}

const pairOf = (user: User | undefined, id: string): string => `${id} ${user?.id ?? ""}`;

/** Returns true if the callback of `once` has asked whether a rule allows a row, and it did. */
export const isAllowed = (rule: AnyRule, user: User | undefined, id: string): boolean =>
  onceScope.getStore()?.allowed.get(rule)?.has(pairOf(user, id)) === true;

/** Remembers an allowed row in the callback of `once`. */
export function rememberAllowed(rule: AnyRule, user: User | undefined, id: string): void {
  const answered = onceScope.getStore();
  if (answered === undefined) return;
  const rows = answered.allowed.get(rule) ?? new Set();
  answered.allowed.set(rule, rows.add(pairOf(user, id)));
}

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
