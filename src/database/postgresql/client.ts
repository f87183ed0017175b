import { isPackageMissing } from "../../core/index.ts";
import { errors } from "../errors.ts";
import type { Query } from "./query.ts";

/** What is needed of a client of the package `pg`. */
export interface PgClient {
  /** The server's process behind the connection. */
  readonly processID: number | null;
  connect(): Promise<unknown>;
  query(query: Query | string, callback: (error: Error | null | undefined, result: PgResult) => void): void;
  /** `I` idle, `T` in a transaction, `E` in an aborted one; `null` before the first answer. */
  getTransactionStatus(): string | null;
  on(event: "error" | "end", listener: (error?: Error) => void): unknown;
  end(): Promise<void>;
  readonly connection: { readonly stream: { destroy(): unknown; cork(): void; uncork(): void } };
}

/** What `pg` makes of an answer by itself. */
export interface PgResult {
  readonly fields: readonly PgField[];
  readonly rows: readonly (readonly unknown[])[];
  readonly command: string;
  readonly rowCount: number | null;
}

/** What is known of a column of an answer. */
export interface PgField {
  readonly name: string;
  readonly dataTypeID: number;
}

/** The messages that a connection of `pg` sends. */
export interface PgWire {
  /** The texts that the server keeps, by name. */
  readonly parsedStatements: Readonly<Record<string, string>>;
  bind(bind: {
    readonly statement: string;
    readonly values: readonly unknown[];
    /** Called with each of the values. */
    readonly valueMapper: (value: never) => string | Buffer | null;
  }): void;
  execute(): void;
  sync(): void;
}

/** The class of statements of `pg`, which tells each of them what the server answers. */
export type PgQueryClass = new (text: string) => {
  name: string | undefined;
  values: readonly unknown[];
  queryMode: "extended";
  prepare(connection: PgWire): void;
  handleRowDescription(message: { readonly fields: readonly PgField[] }): void;
  handleDataRow(message: { readonly fields: unknown[] }): void;
  handleCommandComplete(message: { readonly text: string }): void;
};

/** How a client is made. */
export interface PgConfig {
  readonly connectionString: string;
  readonly connectionTimeoutMillis: number;
  readonly keepAlive: boolean;
  readonly pipeline: boolean;
}

/** The part of the package that is used. */
export interface Pg {
  readonly Client: new (config: PgConfig) => PgClient;
  readonly Query: PgQueryClass;
}

/**
 * Loads the package.
 *
 * @throws E_DATABASE_DRIVER_MISSING
 */
export async function loadPg(): Promise<Pg> {
  try {
    const module: { readonly default: unknown } = await import("pg");
    return module.default as Pg;
  } catch (cause) {
    if (isPackageMissing(cause, "pg")) throw errors.E_DATABASE_DRIVER_MISSING("pg", "8").causedBy(cause);
    throw cause;
  }
}
