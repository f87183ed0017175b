import type { Socket } from "node:net";
import { isPackageMissing } from "../../core/index.ts";
import { errors } from "../errors.ts";

/** Exports of the package `mariadb` used here. */
export interface Client {
  createConnection(options: ClientOptions): Promise<ClientConnection>;
}

/** Options that all connections have. */
export const fixedOptions = {
  // Ours counts no standstill of the process.
  connectTimeout: 0,
  rowsAsArray: true,
  metaAsArray: true,
  dateStrings: true,
  jsonStrings: true,
  foundRows: true,
  multipleStatements: true,
  permitLocalInfile: false,
  permitRedirect: false,
  logParam: false,
} as const;

/** Options of a connection, reduced to those used here. */
type ClientOptions = typeof fixedOptions & {
  readonly user?: string;
  readonly password?: string;
  readonly database: string;
  readonly ssl?: ClientTls;
  /** Creates the socket. The driver keeps it, so that it can destroy it while statements are pending. */
  readonly stream: () => Socket;
};

/** TLS options of the connection, as in `node:tls`. */
export interface ClientTls {
  readonly host: string;
  readonly servername?: string;
  readonly rejectUnauthorized: boolean;
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly checkServerIdentity?: () => undefined;
}

/** Connection of the package, reduced to the members used here. */
export interface ClientConnection {
  readonly info: ClientInfo | null;
  readonly threadId: number | null;
  isValid(): boolean;
  query(text: string): Promise<unknown>;
  execute(text: string, values: readonly unknown[]): Promise<ClientResult>;
  prepare(text: string): Promise<ClientStatement>;
  end(): Promise<void>;
  on(event: "error", listener: (error: Error) => void): unknown;
}

/** Server information of a connection. */
export interface ClientInfo {
  /** Status flags of the last reply. After an error, the client sets the flag of an open transaction. */
  readonly status: number;
  isMariaDB(): boolean;
  hasMinVersion(major: number, minor: number, patch: number): boolean;
}

/** Prepared statement. */
export interface ClientStatement {
  executeStream(values: readonly unknown[]): ClientStream;
  close(): void;
}

/** Stream of rows. */
export interface ClientStream {
  on(event: "fields", listener: (columns: readonly ClientColumn[]) => void): unknown;
  on(event: "data", listener: (row: unknown) => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
  on(event: "end", listener: () => void): unknown;
  pause(): unknown;
  resume(): unknown;
}

/**
 * Result of a statement: rows with their columns, or the number of changed rows.
 *
 * A stored procedure returns a list of rows and a list of columns for each of its statements.
 */
export type ClientResult =
  | readonly [rows: unknown[][], columns: readonly ClientColumn[]]
  | readonly [changed: { readonly affectedRows: number }, none: readonly never[]];

/** Column of a result. */
export interface ClientColumn {
  /** Type number in the protocol. */
  columnType: number;
  readonly columnLength: number;
  /** Name of an extended type, such as `uuid`. */
  readonly dataTypeName: string | undefined;
  readonly collation: { readonly index: number };
  name(): string;
  isDataTypeFormatJson(): boolean;
  isSet(): boolean;
}

/**
 * Loads the package `mariadb`.
 *
 * @throws E_DATABASE_DRIVER_MISSING
 */
export async function loadMariadb(): Promise<Client> {
  try {
    return await import("mariadb");
  } catch (cause) {
    if (isPackageMissing(cause, "mariadb")) throw errors.E_DATABASE_DRIVER_MISSING("mariadb", "3").causedBy(cause);
    throw cause;
  }
}

const maxInt = 2 ** 31 - 2;
const minInt = -(2 ** 31);

/** Converts values to types that the client supports. Returns the same array if no value needs it. */
export function bindValues(values: readonly unknown[]): readonly unknown[] {
  return values.every(isBindable) ? values : values.map(toClientValue);
}

function isBindable(value: unknown): boolean {
  return typeof value === "number" ? !isLargeInt(value) : !(value instanceof Uint8Array);
}

function toClientValue(value: unknown): unknown {
  // The client would send a larger integer as a double, which `limit` refuses and which compares badly with keys.
  if (typeof value === "number") return isLargeInt(value) ? BigInt(value) : value;
  // The client accepts bytes only as a Buffer.
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return value;
}

const isLargeInt = (value: number): boolean => (value > maxInt || value < minInt) && Number.isSafeInteger(value);
