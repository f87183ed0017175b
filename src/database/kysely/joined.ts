import type {
  AccessMode,
  ConnectionBuilder,
  ControlledTransactionBuilder,
  DrainOuterGeneric,
  IsolationLevel,
  Kysely,
  KyselyPlugin,
  KyselyProps,
  QueryExecutor,
  Transaction,
  TransactionBuilder,
} from "kysely";
import type { Isolation } from "../contract.ts";
import type { Database } from "../database.ts";
import type { Handle } from "../handle.ts";
import { executorOf } from "../operations.ts";
import type { Options, TransactionOptions } from "../options.ts";
import { provider } from "./connection.ts";
import { errors } from "./errors.ts";
import type { Library } from "./library.ts";

/** What an instance works on: a database, or one connection of it. */
export type Source = Pick<Database, "collect" | "transaction"> | Handle;

/** What an instance is made of. */
export interface Parts {
  readonly source: Source;
  /** What each of its queries and transactions is given. */
  readonly options: Options;
  readonly props: KyselyProps;
}

type Tables = Record<string, Record<string, unknown>>;

const isolations: Readonly<Record<IsolationLevel, Isolation>> = {
  "read uncommitted": "read committed",
  "read committed": "read committed",
  "repeatable read": "repeatable read",
  serializable: "serializable",
  snapshot: "repeatable read",
};

/** Makes instances of Kysely whose transactions are those of the database, so that other modules join them. */
export function joining(library: Library): <DB>(parts: Parts) => Kysely<DB> {
  class JoinedKysely<DB> extends library.Kysely<DB> {
    readonly #parts: Parts;

    constructor(parts: Parts) {
      super(parts.props);
      this.#parts = parts;
    }

    override transaction(): TransactionBuilder<DB> {
      return new JoinedTransactionBuilder<DB>(this.#parts, {});
    }
    override connection(): ConnectionBuilder<DB> {
      return new JoinedConnectionBuilder<DB>(this.#parts);
    }
    override startTransaction(): ControlledTransactionBuilder<DB> {
      throw errors.E_KYSELY_TRANSACTION();
    }
    override withPlugin(plugin: KyselyPlugin): Kysely<DB> {
      return new JoinedKysely<DB>(withExecutor(this.#parts, this.getExecutor().withPlugin(plugin)));
    }
    override withoutPlugins(): Kysely<DB> {
      return new JoinedKysely<DB>(withExecutor(this.#parts, this.getExecutor().withoutPlugins()));
    }
    override withSchema(schema: string): Kysely<DB> {
      const plugin = new library.WithSchemaPlugin(schema);
      return new JoinedKysely<DB>(withExecutor(this.#parts, this.getExecutor().withPluginAtFront(plugin)));
    }
    override $extendTables<T extends Tables>(): Kysely<DrainOuterGeneric<DB & T>> {
      return new JoinedKysely<DrainOuterGeneric<DB & T>>(this.#parts);
    }
    override withTables<T extends Tables>(): Kysely<DrainOuterGeneric<DB & T>> {
      return this.$extendTables<T>();
    }
    // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the signature is Kysely's
    override $omitTables<T extends keyof DB>(): Kysely<DB extends object ? Omit<DB, T> : DB> {
      return new JoinedKysely<DB extends object ? Omit<DB, T> : DB>(this.#parts);
    }
    // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the signature is Kysely's
    override $pickTables<T extends keyof DB>(): Kysely<DB extends object ? Pick<DB, T> : DB> {
      return new JoinedKysely<DB extends object ? Pick<DB, T> : DB>(this.#parts);
    }
  }

  class JoinedTransactionBuilder<DB> extends library.TransactionBuilder<DB> {
    readonly #parts: Parts;
    readonly #options: TransactionOptions;

    constructor(parts: Parts, options: TransactionOptions) {
      super(parts.props);
      this.#parts = parts;
      this.#options = options;
    }

    override setAccessMode(mode: AccessMode): TransactionBuilder<DB> {
      return new JoinedTransactionBuilder<DB>(this.#parts, { ...this.#options, readOnly: mode === "read only" });
    }
    override setIsolationLevel(level: IsolationLevel): TransactionBuilder<DB> {
      return new JoinedTransactionBuilder<DB>(this.#parts, { ...this.#options, isolation: isolations[level] });
    }
    override execute<T>(callback: (transaction: Transaction<DB>) => Promise<T>): Promise<T> {
      const { source, options } = this.#parts;
      return source.transaction((handle) => callback(new library.Transaction<DB>(on(handle, this.#parts).props)), {
        ...options,
        ...this.#options,
      });
    }
  }

  class JoinedConnectionBuilder<DB> extends library.ConnectionBuilder<DB> {
    readonly #parts: Parts;

    constructor(parts: Parts) {
      super(parts.props);
      this.#parts = parts;
    }

    override async execute<T>(callback: (db: Kysely<DB>) => Promise<T>, called: Options = {}): Promise<T> {
      const { source, options } = this.#parts;
      if (!("query" in source)) return callback(new JoinedKysely<DB>(this.#parts));
      const query = source.query as Database["query"];
      return query((handle) => callback(new JoinedKysely<DB>(on(handle, this.#parts))), { ...options, ...called });
    }
  }

  return <DB>(parts: Parts) => new JoinedKysely<DB>(parts);
}

const withExecutor = (parts: Parts, executor: QueryExecutor): Parts => ({
  ...parts,
  props: { ...parts.props, executor },
});

/** The same on one connection. */
function on(handle: Handle, parts: Parts): Parts {
  const connection = provider(executorOf(handle), {});
  return {
    ...withExecutor(parts, parts.props.executor.withConnectionProvider(connection)),
    source: handle,
    options: {},
  };
}
