import { isDeepStrictEqual } from "node:util";
import { Log } from "../../log/index.ts";
import type { PgClient, PgResult, Query, QueryClass, QueryInit } from "./client.ts";
import { hasRequiredInternals, makeFastQueryClass, type PgQueryClass, sendStatements } from "./internals.ts";
import { columnParser, RowDecoder } from "./row-decoder.ts";

const log = Log.source("limmat.database");

/**
 * Returns a function that selects the query class, once, with the first connected client.
 *
 * Selects the fast class if `pg` has the internals that it uses and two probe statements return the expected result.
 * These internals are undocumented, and any version of `pg` may change them. Otherwise selects `PlainQuery`, which uses
 * the documented interface, returns the same results and is slower.
 */
export function queryClassSelector(Base: PgQueryClass): (client: PgClient, prepare: boolean) => Promise<QueryClass> {
  let selected: QueryClass | undefined;
  return async (client, prepare) => {
    if (selected === undefined) {
      const FastQuery = hasRequiredInternals(Base, client) ? makeFastQueryClass(Base) : undefined;
      const isUsable = FastQuery !== undefined && (await passesProbe(FastQuery, client, prepare));
      if (!isUsable) log.info("Unsupported version of pg: using its documented query interface, which is slower");
      selected ??= isUsable ? FastQuery : PlainQuery;
    }
    return selected;
  };
}

/** Runs a probe statement twice, unprepared and prepared, and compares both results with the expected one. */
async function passesProbe(FastQuery: QueryClass, client: PgClient, prepare: boolean): Promise<boolean> {
  let previousQuery: Query | undefined;
  for (const value of ["first", "second"]) {
    const query: Query = new FastQuery({
      text: "select $1::text as echoed, null::text as missing, 7 as number",
      name: prepare ? "limmat_probe" : undefined,
      values: [value],
      decoder: previousQuery?.decoder,
    });
    const error = await new Promise((resolve) => {
      client.query(query, resolve);
      sendStatements(client);
    });
    if (error !== null && error !== undefined) throw error;
    const actual = [query.decoder?.columns.map(({ name }) => name), query.resultRows, query.commandTag];
    const expected = [["echoed", "missing", "number"], [[value, null, 7]], "SELECT 1"];
    if (!isDeepStrictEqual(actual, expected)) return false;
    if (previousQuery !== undefined && previousQuery.decoder !== query.decoder) return false;
    previousQuery = query;
  }
  return true;
}

/** Query that uses only the documented interface of `pg`. Fallback for versions with other internals. */
class PlainQuery implements Query {
  readonly text: string;
  readonly name: string | undefined;
  readonly values: readonly unknown[];
  readonly rowMode = "array";
  readonly types: { readonly getTypeParser: typeof columnParser } = { getTypeParser: columnParser };
  decoder: RowDecoder | undefined;
  resultRows: readonly (readonly unknown[])[] = [];
  commandTag = "";

  constructor({ text, name, values = [], decoder }: QueryInit) {
    this.text = text;
    this.name = name;
    this.values = values;
    this.decoder = decoder;
  }

  acceptResult({ fields, rows, command, rowCount }: PgResult): void {
    if (fields.length > 0 && this.decoder?.matches(fields) !== true) this.decoder = new RowDecoder(fields);
    this.resultRows = rows;
    this.commandTag = rowCount === null ? command : `${command} ${rowCount}`;
  }
}
