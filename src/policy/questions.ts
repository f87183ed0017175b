import { AsyncLocalStorage } from "node:async_hooks";
import { Log } from "../log/index.ts";
import type { AnyRule, User } from "./rule.ts";

const log = Log.source("limmat.policy");

/** Table with a policy. */
export interface PolicyTable {
  readonly name: string;
  /** Returns true if a parent decides about its rows, so that a new row needs a question as well. */
  readonly isChild: () => boolean;
}

type QuestionObserver = (table: string) => void;

const state: { readonly tables: Map<string, PolicyTable>; readonly observers: Set<QuestionObserver> } = {
  tables: new Map(),
  observers: new Set(),
};

/** Returns the tables with a policy, by name in lower case. */
export const policyTables = (): ReadonlyMap<string, PolicyTable> => state.tables;

/** Registers the policy of a table, for tests that find forgotten questions. */
export const registerTable = (table: PolicyTable): void => void state.tables.set(table.name.toLowerCase(), table);

/** Calls back with the table of each question to a policy of this process, until the returned function is called. For tests. */
export function observeQuestions(observer: QuestionObserver): () => void {
  state.observers.add(observer);
  return () => void state.observers.delete(observer);
}

/** Notifies the observers of a question, and the callback of `once` that asks it. */
export function notifyQuestion(table: string): void {
  for (const observer of state.observers) observer(table);
  onceScope.getStore()?.tables.add(table);
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
