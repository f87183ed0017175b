// All undocumented members of `pg` that the driver uses. docs/internals.md lists them.
import type { PgClient, Query, QueryClass, QueryInit } from "./client.ts";
import { emptyDecoder, type PgField, RowDecoder } from "./row-decoder.ts";

/** Protocol messages that a connection of `pg` sends. */
interface PgWire {
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

/** Query class of `pg`, whose `handle…` methods receive the messages of the server. */
export type PgQueryClass = new (text: string) => {
  name: string | undefined;
  values: readonly unknown[];
  queryMode: "extended";
  prepare(connection: PgWire): void;
  handleRowDescription(message: { readonly fields: readonly PgField[] }): void;
  handleDataRow(message: { readonly fields: unknown[] }): void;
  handleCommandComplete(message: { readonly text: string }): void;
};

/** Socket of a client. */
interface PgSocket {
  destroy(error?: Error): unknown;
  cork(): void;
  uncork(): void;
}

interface InternalClient {
  readonly processID: number | null;
  readonly connection: PgWire & { readonly stream: PgSocket };
}

const internalsOf = (client: PgClient): InternalClient => client as unknown as InternalClient;

/** Returns the socket of a client. */
export const socketOf = (client: PgClient): PgSocket => internalsOf(client).connection.stream;

/** Returns the process ID that the server has sent: of its backend, or one that a connection pooler has made up. */
export const processIdOf = (client: PgClient): number | null => internalsOf(client).processID;

/** Returns true if PostgreSQL refused a prepared statement before it ran, because its result type has changed. */
export function isStalePlan(error: unknown): boolean {
  return error instanceof Error && "routine" in error && error.routine === "RevalidateCachedQuery";
}

/** Returns true if `pg` has all methods that the fast query class overrides or calls. */
export function hasRequiredInternals(Base: unknown, client: PgClient): boolean {
  if (typeof Base !== "function") return false;
  const { connection } = client as unknown as { readonly connection: unknown };
  const [queryPrototype, wire] = [Base.prototype, connection] as Record<string, unknown>[];
  const overriddenMethods = ["prepare", "handleRowDescription", "handleDataRow", "handleCommandComplete"];
  return (
    overriddenMethods.every((name) => typeof queryPrototype?.[name] === "function") &&
    ["bind", "execute", "sync"].every((name) => typeof wire?.[name] === "function") &&
    typeof wire?.["parsedStatements"] === "object"
  );
}

/**
 * Derives a faster query class from the `Query` of `pg`.
 *
 * `pg` copies every statement, requests a row description for every result and builds the row parser each time. This
 * takes a fifth of the time of a short statement.
 */
export function makeFastQueryClass(Base: PgQueryClass): QueryClass {
  return class extends Base implements Query {
    decoder: RowDecoder | undefined;
    readonly resultRows: (readonly unknown[])[] = [];
    commandTag = "";

    constructor({ text, name, values = [], decoder }: QueryInit) {
      super(text);
      this.name = name;
      this.values = values;
      this.queryMode = "extended";
      this.decoder = decoder;
    }

    override prepare(connection: PgWire): void {
      const { name, values, decoder } = this;
      // Skip Parse and Describe for a prepared statement: PostgreSQL refuses to run it if its columns have changed.
      if (decoder === undefined || name === undefined || connection.parsedStatements[name] === undefined) {
        super.prepare(connection);
        return;
      }
      connection.bind({ statement: name, values, valueMapper: toWireValue });
      connection.execute();
      connection.sync();
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
  };
}

/** Converts a value for the Bind message: text, bytes or `null`. */
function toWireValue(value: string | number | bigint | boolean | Uint8Array | null): string | Buffer | null {
  if (typeof value === "string" || value === null) return value;
  return value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : String(value);
}
