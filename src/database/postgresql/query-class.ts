import { Log } from "../../log/index.ts";
import type { PgClient, PgQueryClass } from "./client.ts";
import { PlainQuery } from "./plain-query.ts";
import { makeQueryClass, type Query, type QueryClass } from "./query.ts";

const log = Log.source("limmat.database");

/**
 * Chooses the class of statements by the first client that is connected: ours, if the parts of `pg` that it relies on are
 * there and two statements of it answer what they should; they are not documented, and any version may change them.
 * Otherwise the form that is documented, which gives the same answers and takes more time.
 */
export function queryClassChooser(Base: PgQueryClass, prepare: boolean): (client: PgClient) => Promise<QueryClass> {
  let chosen: QueryClass | undefined;
  return async (client) => {
    if (chosen === undefined) {
      const Own = hasParts(Base, client) ? makeQueryClass(Base) : undefined;
      const works = Own !== undefined && (await answersRightly(Own, client, prepare));
      if (!works)
        log.info("This version of pg is not known: statements are sent in the form it documents, which is slower");
      chosen ??= works ? Own : PlainQuery;
    }
    return chosen;
  };
}

/** Whether all is there that `makeQueryClass` overrides or calls. */
function hasParts(Base: unknown, { connection }: PgClient): boolean {
  if (typeof Base !== "function") return false;
  const [statement, wire]: Record<string, unknown>[] = [Base.prototype, connection];
  const overridden = ["prepare", "handleRowDescription", "handleDataRow", "handleCommandComplete"];
  return (
    overridden.every((name) => typeof statement?.[name] === "function") &&
    ["bind", "execute", "sync"].every((name) => typeof wire?.[name] === "function") &&
    typeof wire?.["parsedStatements"] === "object"
  );
}

/** Asks the same twice, as a statement that is new to the server and as one that it knows. */
async function answersRightly(Own: QueryClass, client: PgClient, prepare: boolean): Promise<boolean> {
  let last: Query | undefined;
  for (const value of ["first", "second"]) {
    const query: Query = new Own({
      text: "select $1::text as given, null::text as nothing, 7 as number",
      name: prepare ? "limmat_probe" : undefined,
      values: [value],
      shape: last?.shape,
    });
    const error = await new Promise((resolve) => client.query(query, resolve));
    if (error !== null && error !== undefined) throw error;
    const names = query.shape?.columns.map(({ name }) => name).join();
    const isRight = query.found.length === 1 && query.found[0]?.length === 3 && query.tag === "SELECT 1";
    const [given, nothing, number] = query.found[0] ?? [];
    if (!isRight || given !== value || nothing !== null || number !== 7 || names !== "given,nothing,number")
      return false;
    if (last !== undefined && last.shape !== query.shape) return false;
    last = query;
  }
  return true;
}
