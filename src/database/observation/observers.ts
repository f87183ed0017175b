import { stackAbove } from "../caller.ts";

/** Statement that is about to run. */
export interface ObservedStatement {
  /** SQL text with placeholders, on one line. */
  readonly text: string;
  /** Returns the location in the application that runs it. Must be called before the first `await`. */
  readonly callSite: () => string;
}

type StatementObserver = (statement: ObservedStatement) => void;

const observers: { readonly list: Set<StatementObserver> } = { list: new Set() };

/** Calls back before each statement of this process, until the returned function is called. For tests. */
export function observeStatements(observer: StatementObserver): () => void {
  observers.list.add(observer);
  return () => void observers.list.delete(observer);
}

/** Statement whose text is put on one line when an observer reads it. A class, because object literals with a getter are slow. */
class RunningStatement implements ObservedStatement {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  get text(): string {
    return this.#text.replace(/\s+/g, " ").trim();
  }

  get callSite(): () => string {
    return () => findCallSite(notifyObservers);
  }
}

/** Notifies the observers of a statement. */
export function notifyObservers(text: string): void {
  if (observers.list.size === 0) return;
  const statement = new RunningStatement(text);
  for (const observer of observers.list) observer(statement);
}

/**
 * Returns the location in the application that runs a statement: the first frame outside of the modules for databases.
 * `callee` is a function that the statement has called: its frame and those above it do not count.
 */
export function findCallSite(callee: (...values: never[]) => unknown = findCallSite): string {
  const line = stackAbove(callee)
    .split("\n")
    .find((frame, index) => index > 0 && hasLocation.test(frame) && !otherPaths.some((path) => frame.includes(path)));
  return line === undefined ? "unknown" : line.trim().replace(/^at (?:async )?/, "");
}

// Functions of the language have none: `at Array.map (<anonymous>)`.
const hasLocation = /:\d+:\d+\)?$/;

// Tables and migrations run statements as well.
const moduleFolders = ["../", "../../table/", "../../migration/"].map((path) => new URL(path, import.meta.url).href);
const otherPaths = [...moduleFolders, "node:", "/node_modules/"];
