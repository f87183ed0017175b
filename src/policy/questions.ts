import { AsyncLocalStorage } from "node:async_hooks";
import { Log } from "../log/index.ts";

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

/** Notifies the observers of a question. */
export function notifyQuestion(table: string): void {
  for (const observer of state.observers) observer(table);
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
