import { isPackageMissing } from "../../core/index.ts";
import type { Socket } from "node:net";
import { errors } from "../errors.ts";

/** What is used of the package `mariadb`. */
export interface Client {
  createConnection(options: ClientOptions): Promise<ClientConnection>;
}

/** The options that are used of it. */
export interface ClientOptions {
  readonly user?: string;
  readonly password?: string;
  readonly database: string;
  readonly ssl?: ClientTls;
  /** Makes the socket: so that it can be closed at once, whatever the client still waits for. */
  readonly stream: () => Socket;
  readonly connectTimeout: number;
  readonly rowsAsArray: true;
  readonly metaAsArray: true;
  readonly dateStrings: true;
  readonly jsonStrings: true;
  readonly foundRows: true;
  readonly multipleStatements: boolean;
  readonly permitLocalInfile: false;
  readonly permitRedirect: false;
  readonly logParam: false;
}

/** How the connection is encrypted, in the words of `node:tls`. */
export interface ClientTls {
  readonly host: string;
  readonly servername?: string;
  readonly rejectUnauthorized: boolean;
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly checkServerIdentity?: () => undefined;
}

/** What is used of a connection. */
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

/** What a connection knows of its server. */
export interface ClientInfo {
  /** The flags of the last answer; after an error, as if a transaction were open. */
  readonly status: number;
  isMariaDB(): boolean;
  hasMinVersion(major: number, minor: number, patch: number): boolean;
}

/** A statement that is kept prepared until it is closed. */
export interface ClientStatement {
  executeStream(values: readonly unknown[]): ClientStream;
  close(): void;
}

/** Rows as they come. */
export interface ClientStream {
  on(event: "fields", listener: (columns: readonly ClientColumn[]) => void): unknown;
  on(event: "data", listener: (row: unknown) => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
  on(event: "end", listener: () => void): unknown;
  pause(): unknown;
  resume(): unknown;
}

/**
 * What a statement answered: rows with their columns, or how many rows it changed. A procedure answers a list of rows
 * and a list of columns for each statement in it.
 */
export type ClientResult =
  | readonly [rows: unknown[][], columns: readonly ClientColumn[]]
  | readonly [changed: { readonly affectedRows: number }, none: readonly never[]];

/** A column of an answer. */
export interface ClientColumn {
  /** The number of its type in the protocol. */
  columnType: number;
  readonly columnLength: number;
  /** `uuid` and its like. */
  readonly dataTypeName: string | undefined;
  readonly collation: { readonly index: number };
  name(): string;
  isDataTypeFormatJson(): boolean;
  isSet(): boolean;
}

/** The version that is known to work. */
const version = "3";

/**
 * Loads the package.
 *
 * @throws E_DATABASE_DRIVER_MISSING
 */
export async function loadClient(): Promise<Client> {
  try {
    return await import("mariadb");
  } catch (cause) {
    if (isPackageMissing(cause, "mariadb")) throw errors.E_DATABASE_DRIVER_MISSING("mariadb", version).causedBy(cause);
    throw cause;
  }
}
