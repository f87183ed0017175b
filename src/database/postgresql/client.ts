import { isPackageMissing } from "../../core/index.ts";
import { errors } from "../errors.ts";
import type { Query } from "./fast-query.ts";

/** Client of the package `pg`, reduced to the members used here. */
export interface PgClient {
  /** Process ID of the server backend. */
  readonly processID: number | null;
  connect(): Promise<unknown>;
  query(query: Query | string, callback: (error: Error | null | undefined, result: PgResult) => void): void;
  /** Returns `I` (idle), `T` (in a transaction), `E` (in an aborted one), or `null` before the first reply. */
  getTransactionStatus(): string | null;
  on(event: "error" | "end", listener: (error?: Error) => void): unknown;
  end(): Promise<void>;
  readonly connection: { readonly stream: { destroy(): unknown; cork(): void; uncork(): void } };
}

/** Result that `pg` has parsed. */
export interface PgResult {
  readonly fields: readonly PgField[];
  readonly rows: readonly (readonly unknown[])[];
  readonly command: string;
  readonly rowCount: number | null;
}

/** Column of a result. */
export interface PgField {
  readonly name: string;
  readonly dataTypeID: number;
}

/** Protocol messages that a connection of `pg` sends. Undocumented. */
export interface PgWire {
  /** Texts of the prepared statements on the server, by name. */
  readonly parsedStatements: Readonly<Record<string, string>>;
  bind(bind: {
    readonly statement: string;
    readonly values: readonly unknown[];
    /** Converts each value. */
    readonly valueMapper: (value: never) => string | Buffer | null;
  }): void;
  execute(): void;
  sync(): void;
}

/** Query class of `pg`, whose `handle…` methods receive the messages of the server. Undocumented. */
export type PgQueryClass = new (text: string) => {
  name: string | undefined;
  values: readonly unknown[];
  queryMode: "extended";
  prepare(connection: PgWire): void;
  handleRowDescription(message: { readonly fields: readonly PgField[] }): void;
  handleDataRow(message: { readonly fields: unknown[] }): void;
  handleCommandComplete(message: { readonly text: string }): void;
};

/** Options of a client. */
export interface PgConfig {
  readonly connectionString: string;
  readonly connectionTimeoutMillis: number;
  readonly keepAlive: boolean;
  readonly pipeline: boolean;
}

/** Exports of the package `pg` used here. */
export interface Pg {
  readonly Client: new (config: PgConfig) => PgClient;
  readonly Query: PgQueryClass;
}

/**
 * Loads the package `pg`.
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
