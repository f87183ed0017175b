import type { TableModel } from "./model.ts";

/** Operation of a table that is about to run. */
export interface TableOperation {
  readonly model: TableModel;
  /** Name of the operation: `find`, `links.labels.set`. */
  readonly name: string;
  /** Arguments: the database, then those of the operation. */
  readonly values: readonly unknown[];
}

/** Function around each operation, which it runs, and whose result it returns. */
type OperationObserver = (operation: TableOperation, run: () => Promise<unknown>) => Promise<unknown>;

const observers: { readonly list: Set<OperationObserver> } = { list: new Set() };

/** Calls a function around each operation of a table of this process, until the returned function is called. For tests. */
export function observeOperations(observer: OperationObserver): () => void {
  observers.list.add(observer);
  return () => void observers.list.delete(observer);
}

/** Returns an operation that the observers run. Without an observer, it costs one comparison. */
export const observed =
  (model: TableModel, name: string, run: (...values: readonly unknown[]) => Promise<unknown>): typeof run =>
  (...values) => {
    if (observers.list.size === 0) return run(...values);
    const runs = [...observers.list].reduce<() => Promise<unknown>>(
      (next, observer) => () => observer({ model, name, values }, next),
      () => run(...values),
    );
    return runs();
  };
