import { errors } from "../errors.ts";

/** What is needed of a client of the package `pg`. */
export interface PgClient {
  /** The server's process behind the connection. */
  readonly processID: number | null;
  connect(): Promise<unknown>;
  query(query: PgQuery | string, callback: (error: Error | null | undefined, result: PgResult) => void): void;
  /** `I` idle, `T` in a transaction, `E` in an aborted one; `null` before the first answer. */
  getTransactionStatus(): string | null;
  on(event: "error" | "end", listener: (error?: Error) => void): unknown;
  end(): Promise<void>;
  readonly connection: { readonly stream: { destroy(): unknown } };
}

/** A statement as `pg` takes it. */
export interface PgQuery {
  readonly text: string;
  readonly name?: string;
  readonly values?: readonly unknown[];
  readonly rowMode: "array";
}

/** An answer as `pg` gives it. */
export interface PgResult {
  readonly command: string;
  readonly rowCount: number | null;
  readonly rows: readonly (readonly unknown[])[];
  readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[];
}

/** How a client is made. */
export interface PgConfig {
  readonly connectionString: string;
  readonly connectionTimeoutMillis: number;
  readonly keepAlive: boolean;
  readonly pipeline: boolean;
  readonly types: { readonly getTypeParser: (oid: number) => (text: string) => unknown };
}

/** The part of the package that is used. */
export interface Pg {
  readonly Client: new (config: PgConfig) => PgClient;
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
    if (isMissing(cause)) throw errors.E_DATABASE_DRIVER_MISSING("pg", "8").causedBy(cause);
    throw cause;
  }
}

/** A package that is there and broken, or lacks one of its own, has another error. */
const isMissing = (cause: unknown): boolean =>
  cause instanceof Error && "code" in cause && cause.code === "ERR_MODULE_NOT_FOUND" && cause.message.includes("'pg'");
