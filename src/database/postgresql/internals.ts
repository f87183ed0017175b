// All undocumented members of `pg` that the driver uses. docs/internals.md lists them.
import type { PgClient, Query, QueryClass, QueryInit } from "./client.ts";
import { emptyDecoder, type PgField, RowDecoder } from "./row-decoder.ts";
import { StatementBatch } from "./statement-batch.ts";

const batchKey: unique symbol = Symbol("batch of statements");

/** Connection of `pg`, below its client. */
interface PgWire {
  /** Texts of the prepared statements on the server, by name. */
  readonly parsedStatements: Record<string, string>;
  readonly stream: PgSocket;
  close(message: { readonly type: "S"; readonly name: string }): void;
  [batchKey]?: StatementBatch;
}

/** Query class of `pg`, whose `handle…` methods receive the messages of the server. */
export type PgQueryClass = new () => {
  prepare(connection: PgWire): void;
  handleRowDescription(message: { readonly fields: readonly PgField[] }): void;
  handleDataRow(message: { readonly fields: unknown[] }): void;
  handleCommandComplete(message: { readonly text: string }): void;
  handleError(error: Error): void;
  handleReadyForQuery(): void;
};

/** Socket of a client. */
interface PgSocket {
  readonly writable: boolean;
  write(bytes: Uint8Array): unknown;
  destroy(error?: Error): unknown;
  cork(): void;
  uncork(): void;
}

interface InternalClient {
  readonly processID: number | null;
  readonly connection: PgWire;
}

const internalsOf = (client: PgClient): InternalClient => client as unknown as InternalClient;

/** Returns the socket of a client. */
export const socketOf = (client: PgClient): PgSocket => internalsOf(client).connection.stream;

/** Sends the statements that were added since the last call. Must be called after `client.query`. */
export const sendStatements = (client: PgClient): void => internalsOf(client).connection[batchKey]?.flush();

/** Returns the process ID that the server has sent: of its backend, or one that a connection pooler has made up. */
export const processIdOf = (client: PgClient): number | null => internalsOf(client).processID;

/** Deallocates a prepared statement. The next statement with this name is prepared again. */
export function deallocate(client: PgClient, name: string): void {
  const { connection } = internalsOf(client);
  // Runs that wait in the batch still need the statement.
  connection[batchKey]?.flush();
  delete connection.parsedStatements[name];
  connection.close({ type: "S", name });
}

const overriddenMethods = [
  "prepare",
  "handleRowDescription",
  "handleDataRow",
  "handleCommandComplete",
  "handleError",
  "handleReadyForQuery",
];

/** Returns true if `pg` has all methods that the fast query class overrides or calls. */
export function hasRequiredInternals(Base: unknown, client: PgClient): boolean {
  if (typeof Base !== "function") return false;
  const { connection } = client as unknown as { readonly connection: unknown };
  const [queryPrototype, wire] = [Base.prototype, connection] as Record<string, unknown>[];
  return (
    overriddenMethods.every((name) => typeof queryPrototype?.[name] === "function") &&
    typeof wire?.["parsedStatements"] === "object"
  );
}

/**
 * Derives a faster query class from the `Query` of `pg`.
 *
 * `pg` copies every statement, requests a row description for every result, builds the row parser each time and sends each
 * message apart. The constructor of `Query` is not run: it creates an event emitter and a result, which nobody uses.
 */
export function makeFastQueryClass(Base: PgQueryClass): QueryClass {
  const Bare = function Bare() {} as unknown as PgQueryClass;
  Bare.prototype = Base.prototype;
  return class extends Bare implements Query {
    readonly text: string;
    readonly name: string | undefined;
    readonly values: readonly unknown[];
    readonly queryMode = "extended";
    /** Set by `client.query`. */
    callback: ((error: Error | null) => void) | undefined = undefined;
    decoder: RowDecoder | undefined;
    readonly resultRows: (readonly unknown[])[] = [];
    commandTag = "";

    constructor({ text, name, values = [], decoder }: QueryInit) {
      super();
      this.text = text;
      this.name = name;
      this.values = values;
      this.decoder = decoder;
    }

    override prepare(connection: PgWire): void {
      const { name, values, decoder } = this;
      const batch = (connection[batchKey] ??= new StatementBatch(connection.stream));
      // Skip Parse and Describe for a prepared statement: PostgreSQL refuses to run it if its columns have changed.
      if (decoder !== undefined && name !== undefined && connection.parsedStatements[name] !== undefined) {
        batch.add(name, (values as readonly WireInput[]).map(toWireValue));
        return;
      }
      // The messages of `pg` go to the socket directly, behind the statements before this one.
      batch.flush();
      super.prepare(connection);
    }

    override handleRowDescription({ fields }: { readonly fields: readonly PgField[] }): void {
      if (this.decoder?.matches(fields) !== true) this.decoder = new RowDecoder(fields);
    }

    override handleDataRow({ fields }: { readonly fields: unknown[] }): void {
      this.resultRows.push((this.decoder as RowDecoder).decode(fields));
    }

    override handleCommandComplete({ text }: { readonly text: string }): void {
      this.decoder ??= emptyDecoder;
      this.commandTag = text;
    }

    override handleError(error: Error): void {
      this.callback?.(error);
    }

    override handleReadyForQuery(): void {
      this.callback?.(null);
    }
  };
}

/** Value that `encodeValue` returns for PostgreSQL. */
type WireInput = string | number | bigint | boolean | Uint8Array | null;

/** Converts a value for the Bind message: text, bytes or `null`. */
function toWireValue(value: WireInput): string | Buffer | null {
  if (typeof value === "string" || value === null) return value;
  return value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : String(value);
}
