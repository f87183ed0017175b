import type { CompiledQuery, ConnectionProvider, DatabaseConnection, QueryResult } from "kysely";
import type { Dialect, PreparedStatement, QueryResult as DriverResult } from "../contract.ts";
import { errors } from "../errors.ts";
import type { Executor, OperationOptions } from "../operations.ts";
import { untypedRow, type UntypedRow } from "../row/untyped-row.ts";
import { encodeValue } from "../statement/encode.ts";
import { prepareStatement, Statement } from "../statement/statement.ts";

/**
 * Returns a provider of the connection that runs compiled queries on the database service, and joins the current
 * transaction. The service selects the real connection when a query runs.
 */
export function connectionProvider(executor: Executor, options: OperationOptions): ConnectionProvider {
  const withSignal = (signal: AbortSignal | undefined): OperationOptions =>
    signal === undefined ? options : { ...options, signal };
  const connection: DatabaseConnection = {
    async executeQuery<R>({ sql, parameters }: CompiledQuery, { signal }: AbortOptions = {}) {
      try {
        const result = await executor.execute(new CompiledStatement(sql, parameters), withSignal(signal));
        return toKyselyResult<R>(result);
      } catch (error) {
        // Kysely has already rejected with the reason of the signal, and would print this error.
        if (signal?.aborted === true) return { rows: [] };
        throw error;
      }
    },
    async *streamQuery<R>({ sql, parameters }: CompiledQuery, batchSize: number, { signal }: AbortOptions = {}) {
      try {
        const batches = executor.batches(new CompiledStatement(sql, parameters), { ...withSignal(signal), batchSize });
        for await (const result of batches) yield toKyselyResult<R>(result);
      } catch (error) {
        if (signal?.aborted !== true) throw error;
      }
    },
  };
  return { provideConnection: (consumer) => consumer(connection) };
}

interface AbortOptions {
  readonly signal?: AbortSignal | undefined;
}

function toKyselyResult<R>({ columns, rows, affectedRows }: DriverResult): QueryResult<R> {
  const read: (row: readonly unknown[]) => UntypedRow = untypedRow.reader(columns);
  return { rows: rows.map(read) as R[], numAffectedRows: BigInt(affectedRows) };
}

const noTemplate: TemplateStringsArray = Object.assign([""], { raw: [""] });

/** Statement compiled by Kysely, with the placeholders of its dialect. */
class CompiledStatement extends Statement<UntypedRow> {
  readonly #text: string;
  readonly #values: readonly unknown[];

  constructor(text: string, values: readonly unknown[]) {
    super(noTemplate, [], untypedRow);
    this.#text = text;
    this.#values = values;
  }

  override compile(dialect: Dialect): readonly [PreparedStatement, readonly unknown[]] {
    const { length } = this.#values;
    if (length > dialect.maxParameters) throw errors.E_SQL_TOO_MANY_VALUES(length, dialect.maxParameters);
    const values = this.#values.map((value, index) => {
      if (value === undefined) throw errors.E_SQL_UNDEFINED(index + 1, this.#text.slice(-40));
      return encodeValue(value, dialect);
    });
    return [prepareStatement(this.#text, dialect.name), values];
  }
}
