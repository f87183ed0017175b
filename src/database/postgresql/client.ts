import { isPackageMissing } from "../../core/index.ts";
import { errors } from "../errors.ts";
import type { PgQueryClass } from "./internals.ts";
import type { PgField, RowDecoder } from "./row-decoder.ts";

/** Client of the package `pg`, reduced to the members used here. */
export interface PgClient {
  connect(): Promise<unknown>;
  query(query: Query | string, callback: (error: Error | null | undefined, result: PgResult) => void): void;
  /** Returns `I` (idle), `T` (in a transaction), `E` (in an aborted one), or `null` before the first reply. */
  getTransactionStatus(): string | null;
  on(event: "error" | "end", listener: (error?: Error) => void): unknown;
  end(): Promise<void>;
  /** True if the client sends statements without waiting for the replies to earlier ones. */
  readonly pipeline?: boolean;
}

/** Result of the documented interface. */
export interface PgResult {
  readonly fields: readonly PgField[];
  readonly rows: readonly (readonly unknown[])[];
  readonly command: string;
  readonly rowCount: number | null;
}

/** Options of a query. */
export interface QueryInit {
  readonly text: string;
  /** Name of the prepared statement on the server. The server plans an unnamed statement once per run. */
  readonly name?: string | undefined;
  readonly values?: readonly unknown[];
  /** Decoder of the statement's previous result on this connection. */
  readonly decoder?: RowDecoder | undefined;
}

/** Query for `client.query`. Holds the result once its callback was called. */
export interface Query {
  readonly decoder: RowDecoder | undefined;
  /** Rows of the result. Not named `rows`, because `pg` reads that property as a row limit. */
  readonly resultRows: readonly (readonly unknown[])[];
  /** Command tag, such as `INSERT 0 1`. */
  readonly commandTag: string;
  /** Accepts the result that `pg` has parsed itself. Only in `PlainQuery`. */
  acceptResult?(result: PgResult): void;
}

/** Constructor of a query. */
export type QueryClass = new (init: QueryInit) => Query;

/** Exports of the package `pg` used here. */
export interface Pg {
  readonly Client: new (config: { connectionString: string; keepAlive: boolean; pipeline: boolean }) => PgClient;
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
