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
import type * as Library from "kysely";
import type { Isolation } from "../contract.ts";
import type { Database } from "../database.ts";
import { errors } from "../errors.ts";
import type { Handle } from "../handle.ts";
import { executorOf, type OperationOptions, type TransactionOptions } from "../operations.ts";
import { connectionProvider } from "./kysely-connection.ts";

/** Exports of the package `kysely`. */
export type KyselyLibrary = typeof Library;

/** Database, or one connection of it, on which an instance runs queries. */
export type Source = Pick<Database, "collect" | "transaction"> | Handle;

/** Options of an instance. */
export interface JoinedKyselyConfig {
  readonly source: Source;
  /** Options of each query and transaction. */
  readonly options: OperationOptions;
  readonly props: KyselyProps;
}

type Tables = Record<string, Record<string, unknown>>;

const isolationLevels: Readonly<Record<IsolationLevel, Isolation>> = {
  "read uncommitted": "read committed",
  "read committed": "read committed",
  "repeatable read": "repeatable read",
  serializable: "serializable",
  snapshot: "repeatable read",
};

/** Returns a factory of Kysely instances that use the transactions of the service, so that other modules join them. */
export function joinedKyselyFactory(library: KyselyLibrary): <DB>(config: JoinedKyselyConfig) => Kysely<DB> {
  class JoinedKysely<DB> extends library.Kysely<DB> {
    readonly #config: JoinedKyselyConfig;

    constructor(config: JoinedKyselyConfig) {
      super(config.props);
      this.#config = config;
    }

    override transaction(): TransactionBuilder<DB> {
      return new JoinedTransactionBuilder<DB>(this.#config, {});
    }
    override connection(): ConnectionBuilder<DB> {
      return new JoinedConnectionBuilder<DB>(this.#config);
    }
    override startTransaction(): ControlledTransactionBuilder<DB> {
      throw errors.E_KYSELY_TRANSACTION();
    }
    override withPlugin(plugin: KyselyPlugin): Kysely<DB> {
      return new JoinedKysely<DB>(withExecutor(this.#config, this.getExecutor().withPlugin(plugin)));
    }
    override withoutPlugins(): Kysely<DB> {
      return new JoinedKysely<DB>(withExecutor(this.#config, this.getExecutor().withoutPlugins()));
    }
    override withSchema(schema: string): Kysely<DB> {
      const plugin = new library.WithSchemaPlugin(schema);
      return new JoinedKysely<DB>(withExecutor(this.#config, this.getExecutor().withPluginAtFront(plugin)));
    }
    override $extendTables<T extends Tables>(): Kysely<DrainOuterGeneric<DB & T>> {
      return new JoinedKysely<DrainOuterGeneric<DB & T>>(this.#config);
    }
    override withTables<T extends Tables>(): Kysely<DrainOuterGeneric<DB & T>> {
      return this.$extendTables<T>();
    }
    // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the signature is Kysely's
    override $omitTables<T extends keyof DB>(): Kysely<DB extends object ? Omit<DB, T> : DB> {
      return new JoinedKysely<DB extends object ? Omit<DB, T> : DB>(this.#config);
    }
    // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the signature is Kysely's
    override $pickTables<T extends keyof DB>(): Kysely<DB extends object ? Pick<DB, T> : DB> {
      return new JoinedKysely<DB extends object ? Pick<DB, T> : DB>(this.#config);
    }
  }

  class JoinedTransactionBuilder<DB> extends library.TransactionBuilder<DB> {
    readonly #config: JoinedKyselyConfig;
    readonly #options: TransactionOptions;

    constructor(config: JoinedKyselyConfig, options: TransactionOptions) {
      super(config.props);
      this.#config = config;
      this.#options = options;
    }

    override setAccessMode(mode: AccessMode): TransactionBuilder<DB> {
      return new JoinedTransactionBuilder<DB>(this.#config, { ...this.#options, readOnly: mode === "read only" });
    }
    override setIsolationLevel(level: IsolationLevel): TransactionBuilder<DB> {
      return new JoinedTransactionBuilder<DB>(this.#config, { ...this.#options, isolation: isolationLevels[level] });
    }
    override execute<T>(callback: (transaction: Transaction<DB>) => Promise<T>): Promise<T> {
      const { source, options } = this.#config;
      const scoped = { ...options, ...this.#options };
      const propsOf = (handle: Handle): KyselyProps => onConnection(handle, this.#config).props;
      return source.transaction((handle) => callback(new library.Transaction<DB>(propsOf(handle))), scoped);
    }
  }

  class JoinedConnectionBuilder<DB> extends library.ConnectionBuilder<DB> {
    readonly #config: JoinedKyselyConfig;

    constructor(config: JoinedKyselyConfig) {
      super(config.props);
      this.#config = config;
    }

    override async execute<T>(callback: (db: Kysely<DB>) => Promise<T>, call: OperationOptions = {}): Promise<T> {
      const { source, options } = this.#config;
      if (!("query" in source)) return callback(new JoinedKysely<DB>(this.#config));
      const query = source.query as Database["query"];
      const scoped = { ...options, ...call };
      return query((handle) => callback(new JoinedKysely<DB>(onConnection(handle, this.#config))), scoped);
    }
  }

  return <DB>(config: JoinedKyselyConfig) => new JoinedKysely<DB>(config);
}

const withExecutor = (config: JoinedKyselyConfig, executor: QueryExecutor): JoinedKyselyConfig => ({
  ...config,
  props: { ...config.props, executor },
});

/** Returns the options for one connection. */
function onConnection(handle: Handle, config: JoinedKyselyConfig): JoinedKyselyConfig {
  const connection = connectionProvider(executorOf(handle), {});
  return {
    ...withExecutor(config, config.props.executor.withConnectionProvider(connection)),
    source: handle,
    options: {},
  };
}
