import { AssertionError } from "node:assert";
import { AsyncLocalStorage } from "node:async_hooks";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { requestChannelName } from "../core/index.ts";
import { findCallSite, observeStatements } from "../database/observation/index.ts";
import { LogInternals } from "../log/index.ts";
import { PolicyInternals } from "../policy/index.ts";
import { TableInternals } from "../table/index.ts";
import { policyOf, ReachedRows, rowKey } from "./reached-rows.ts";
import { type NeededRows, neededRows, readRows } from "./traced-operation.ts";

/** Request, with its questions and its work, and those of the jobs that it has dispatched. */
interface TracedRequest {
  readonly name: string;
  /** Names of the tables whose policies were asked, in lower case, and whether for a change. */
  readonly asked: Map<string, boolean>;
  /** Tables of the conditions of policies, and whether they are for changes. */
  readonly conditions: Map<unknown, readonly [table: string, isForChange: boolean]>;
  readonly rows: ReachedRows;
  /** Rows selected with SQL of the application, which may contain the condition of a policy. */
  readonly selections: { readonly table: string; readonly keys: readonly string[] }[];
  /** Operations and statements, with a function that returns true if they need no further question. */
  readonly works: {
    readonly text: string;
    readonly at: string;
    readonly isAsked: (seen: ReadonlySet<string>, changeable: ReadonlySet<string>) => boolean;
  }[];
}

/** Pattern of a table's name after a keyword: `notes`, `"main"."notes"`. */
const after = (keyword: string): RegExp => new RegExp(`${keyword} (?:["\`]?\\w+["\`]?\\.)?["\`]?(\\w+)`, "gi");

// `update` ends other clauses as well: `for update of notes`, `on duplicate key update name`.
const changePattern = after(
  "(?<!\\b(?:for|key|do|on) )\\b(insert (?:or \\w+ |ignore )?into|replace into|update(?: or \\w+| only)?|delete from(?: only)?)",
);
const readPattern = after("\\b(?:from|join)(?: only)?");
// Numbers are no rows.
const numberPattern = /^select (?:count|sum|avg|min|max|exists|1)\b/i;

/** Returns the names of the tables that a statement changes, and whether it only adds rows. */
function changedTables(text: string): readonly (readonly [table: string, isNew: boolean])[] {
  const isUpsert = / (?:do|key) update /i.test(text);
  return [...text.matchAll(changePattern)].map(([, change = "", table = ""]) => [
    table,
    /^insert/i.test(change) && !isUpsert,
  ]);
}

/** Returns the names of the tables whose rows a statement returns. Conditions are not read. */
function readTables(text: string): readonly string[] {
  let query = text;
  for (let before = ""; before !== query;) {
    before = query;
    // Of groups in parentheses, only queries of `with`, `from` and `join` are read.
    query = query.replace(/(\b(?:as|from|join|materialized) ?)?\(([^()]*)\)/gi, (_, keyword?: string, group = "") =>
      keyword === undefined ? " " : `${keyword} ${group} `,
    );
  }
  if (!/^(?:select|with) /i.test(query) || numberPattern.test(query)) return [];
  return [...query.matchAll(readPattern)].map(([, table = ""]) => table);
}

/**
 * Fails at the end of the scope if a request has read or changed rows of a table with a policy without a question about them:
 * they must match a condition of `where`, be asked about with `check`, `require` or `can` (for `see`), or be reached from such
 * rows, by a foreign key or because the policy says "as its parent". A condition for `see` allows no change, unless the policy
 * has no other action. Of the jobs that a request dispatches, changes count. Statements of the application are checked by table.
 * Code that needs no permission says so: `Policy.unchecked("public list", () => …)`. Declare it in a test: a scope at the top
 * of a file ends before the tests begin.
 *
 * @throws AssertionError at the end of the scope, with requests, operations and their locations.
 * @example
 * using _ = forbidUnaskedPolicies();
 * await alice.post("/issues", { title: "Broken" });
 */
export function forbidUnaskedPolicies(): Disposable {
  const requests = new Map<unknown, TracedRequest>();
  const begin = (message: unknown): void => {
    const { id, method, path } = message as { readonly id: string; readonly method: string; readonly path: string };
    const sets = { asked: new Map(), conditions: new Map(), rows: new ReachedRows() };
    requests.set(id, { name: `${method} ${path}`, ...sets, selections: [], works: [] });
  };
  // A job has the log fields of the request that has dispatched it.
  const current = (): TracedRequest | undefined => requests.get(LogInternals.currentFields()?.["request_id"]);
  const isJob = (): boolean => LogInternals.currentFields()?.["job_id"] !== undefined;
  const operations = new AsyncLocalStorage<true>();

  const observeQuestion: Parameters<typeof PolicyInternals.observeQuestions>[0] = (table, about, isForChange) => {
    const request = current();
    if (request === undefined) return;
    const name = table.toLowerCase();
    request.asked.set(name, isForChange || request.asked.get(name) === true);
    if (!Array.isArray(about)) request.conditions.set(about, [table, isForChange]);
    else
      request.rows.ask(
        about.map((row) => rowKey(table, (row as { id?: unknown } | null)?.id ?? row)),
        isForChange,
      );
  };
  const observeOperation: Parameters<typeof TableInternals.observeOperations>[0] = async (operation, run) => {
    const [request, isUnchecked, isInJob] = [current(), PolicyInternals.isUnchecked(), isJob()];
    if (request === undefined) return run();
    const at = findCallSite(observeOperation);
    const result = await operations.run(true, run);
    const read = readRows(operation, result);
    const need = (text: string, { changed, seen }: NeededRows): void => {
      if (isUnchecked) return;
      const isAsked: TracedRequest["works"][number]["isAsked"] = (seenRows, changeableRows) =>
        seen.every((key) => seenRows.has(key)) && changed.every((key) => changeableRows.has(key));
      request.works.push({ text, at, isAsked });
    };
    for (const { name, table, rows, conditions } of read ?? []) {
      const keys = rows.map((row) => rowKey(table, row["id"]));
      for (const row of rows) request.rows.add(policyOf(table)!, row);
      const questions = conditions
        .map((part) => request.conditions.get(part))
        .filter((question) => question?.[0] === table);
      if (isUnchecked || questions.length > 0) {
        request.rows.ask(keys, isUnchecked || questions.some((question) => question?.[1] === true));
      } else if (!isInJob) need(name, { changed: [], seen: keys });
      if (conditions.some(TableInternals.isSqlPart)) request.selections.push({ table: table.toLowerCase(), keys });
    }
    if (read !== undefined) return result;
    need(`${operation.model.name}.${operation.name}`, neededRows(operation, result));
    if (isUnchecked || operation.name.startsWith("insert")) {
      const rows = [result].flat() as readonly (TableInternals.AnyRow | undefined)[];
      request.rows.ask(
        rows.map((row) => rowKey(operation.model.name, row?.["id"])),
        true,
      );
    }
    return result;
  };
  const stops = [
    PolicyInternals.observeQuestions(observeQuestion),
    TableInternals.observeOperations(observeOperation),
    observeStatements(({ text, callSite }) => {
      const request = current();
      if (request === undefined || operations.getStore() || PolicyInternals.isUnchecked()) return;
      const code = text.replaceAll(/'[^']*'/g, "''").replaceAll(/\/\*.*?\*\/ ?/g, "");
      const add = (table: string, isAsked: () => boolean): void => {
        if (policyOf(table) !== undefined) request.works.push({ text, at: callSite(), isAsked });
      };
      const changes = changedTables(code);
      for (const [table, isNew] of changes) {
        if (!isNew || policyOf(table)?.parents().length !== 0) add(table, () => request.asked.size > 0);
      }
      if (changes.length > 0 || isJob()) return;
      for (const table of readTables(code)) add(table, () => request.asked.has(table.toLowerCase()));
    }),
  ];
  subscribe(requestChannelName, begin);
  return {
    [Symbol.dispose]: () => {
      for (const stop of stops) stop();
      unsubscribe(requestChannelName, begin);
      const lines = [...requests.values()].flatMap(({ name, asked, rows, selections, works }) => {
        for (const { table, keys } of selections) if (asked.has(table)) rows.ask(keys, asked.get(table) === true);
        const reached = rows.reached();
        const unasked = works.filter(({ isAsked }) => !isAsked(...reached));
        return unasked.map(({ text, at }) => `  ${name}: ${text}\n     at ${at}`);
      });
      if (lines.length === 0) return;
      throw new AssertionError({
        message: `Rows were read or changed without a question to the policy of their table. Ask it with where, check or require:\n${lines.join("\n")}`,
        operator: "forbidUnaskedPolicies",
      });
    },
  };
}
