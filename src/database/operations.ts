import type { Answer } from "./contract.ts";
import { errors } from "./errors.ts";
import type { Options, StreamOptions } from "./options.ts";
import type { Statement } from "./statement.ts";

/** What can be done with statements, on a database and on one connection of it alike. */
export interface Operations {
  /**
   * The one row of a statement.
   *
   * @throws E_DATABASE_NO_ROW, E_DATABASE_TOO_MANY_ROWS
   */
  find<T>(statement: Statement<T>, options?: Options): Promise<T>;
  /**
   * The row of a statement, or `undefined` when there is none.
   *
   * @throws E_DATABASE_TOO_MANY_ROWS
   */
  findOpt<T>(statement: Statement<T>, options?: Options): Promise<T | undefined>;
  /** Runs a statement and gives how many rows it inserted, updated or deleted. */
  exec(statement: Statement<unknown>, options?: Options): Promise<number>;
  /** All rows of a statement, in memory. */
  collect<T>(statement: Statement<T>, options?: Options): Promise<readonly T[]>;
  /**
   * The rows of a statement one after the other, for results larger than memory. Its `timeout` is ignored.
   *
   * What writes between the rows on the same connection, inside `query`, needs a transaction around both: PostgreSQL
   * reads a stream without one in a read-only transaction.
   */
  stream<T>(statement: Statement<T>, options?: StreamOptions): AsyncIterable<T>;
}

/** How a statement is run: what the operations are made of. */
export interface Executor {
  execute(statement: Statement<unknown>, options: Options | undefined): Answer | Promise<Answer>;
  batches(statement: Statement<unknown>, options: StreamOptions | undefined): AsyncIterable<Answer>;
}

// Under a symbol it goes along when the operations become a part of a service.
const executorKey = Symbol("executor");

/** What runs the statements of a database or handle. For the parts of this room. */
export function executorOf(of: Operations): Executor {
  const { [executorKey]: executor } = of as { readonly [executorKey]?: Executor };
  if (executor === undefined) throw errors.E_DATABASE_HANDLE_ENDED();
  return executor;
}

/** The operations on an executor. */
export function operations(executor: Executor): Operations {
  const run = <T>(
    statement: Statement<unknown>,
    options: Options | undefined,
    read: (answer: Answer) => T,
  ): Promise<T> => {
    try {
      const answer = executor.execute(statement, options);
      // Embedded databases answer at once: no promise is made but the caller's.
      return answer instanceof Promise ? answer.then(read) : Promise.resolve(read(answer));
    } catch (error) {
      return Promise.reject(error);
    }
  };
  const made: Operations & { readonly [executorKey]: Executor } = {
    [executorKey]: executor,
    find: (statement, options) => run(statement, options, (answer) => one(statement, answer)),
    findOpt: (statement, options) => run(statement, options, (answer) => oneAtMost(statement, answer)),
    exec: (statement, options) => run(statement, options, ({ affected }) => affected),
    collect: (statement, options) => run(statement, options, (answer) => all(statement, answer)),
    async *stream(statement, options) {
      for await (const answer of executor.batches(statement, options)) {
        const read = statement.reader(answer.columns);
        for (const row of answer.rows) yield read(row);
      }
    },
  };
  return made;
}

function one<T>(statement: Statement<T>, answer: Answer): T {
  if (answer.rows.length === 0) throw errors.E_DATABASE_NO_ROW();
  return oneAtMost(statement, answer) as T;
}

function oneAtMost<T>(statement: Statement<T>, { columns, rows }: Answer): T | undefined {
  const [row] = rows;
  if (row === undefined) return undefined;
  if (rows.length > 1) throw errors.E_DATABASE_TOO_MANY_ROWS(rows.length);
  return statement.reader(columns)(row);
}

function all<T>(statement: Statement<T>, { columns, rows }: Answer): readonly T[] {
  return rows.length === 0 ? [] : rows.map(statement.reader(columns));
}
