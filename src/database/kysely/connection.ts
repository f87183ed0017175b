import type { CompiledQuery, ConnectionProvider, DatabaseConnection, QueryResult } from "kysely";
import type { Answer } from "../contract.ts";
import type { Executor } from "../operations.ts";
import type { Options } from "../options.ts";
import { untyped, type UntypedRow } from "../untyped-row.ts";
import { CompiledStatement } from "./compiled-statement.ts";

interface Abortable {
  readonly signal?: AbortSignal | undefined;
}

/** Runs what Kysely compiled as other statements are run: in the transaction around, or on whatever connection is right. */
export class Connection implements DatabaseConnection {
  readonly #executor: Executor;
  readonly #options: Options;

  constructor(executor: Executor, options: Options) {
    this.#executor = executor;
    this.#options = options;
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery, { signal }: Abortable = {}): Promise<QueryResult<R>> {
    try {
      return resultOf(await this.#executor.execute(new CompiledStatement(sql, parameters), this.#with(signal)));
    } catch (error) {
      // Kysely has given the reason already, and would print this one.
      if (signal?.aborted === true) return { rows: [] };
      throw error;
    }
  }

  async *streamQuery<R>(
    { sql, parameters }: CompiledQuery,
    chunkSize: number,
    { signal }: Abortable = {},
  ): AsyncIterableIterator<QueryResult<R>> {
    try {
      const options = { ...this.#with(signal), batch: chunkSize };
      for await (const answer of this.#executor.batches(new CompiledStatement(sql, parameters), options)) {
        yield resultOf(answer);
      }
    } catch (error) {
      if (signal?.aborted !== true) throw error;
    }
  }

  #with(signal: AbortSignal | undefined): Options {
    return signal === undefined ? this.#options : { ...this.#options, signal };
  }
}

/** Gives Kysely a connection for each query; which one it really is, is decided when the query runs. */
export function provider(executor: Executor, options: Options): ConnectionProvider {
  const connection = new Connection(executor, options);
  return { provideConnection: (consumer) => consumer(connection) };
}

function resultOf<R>({ columns, rows, affected }: Answer): QueryResult<R> {
  const read: (row: readonly unknown[]) => UntypedRow = untyped.reader(columns);
  return { rows: rows.map(read) as R[], numAffectedRows: BigInt(affected) };
}
