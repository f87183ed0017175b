import { AssertionError } from "node:assert";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { requestChannelName } from "../core/index.ts";
import { observeStatements } from "../database/observation/index.ts";
import { LogInternals } from "../log/index.ts";
import { PolicyInternals } from "../policy/index.ts";

/** Request, with the questions that it has asked so far, and the statements that need one. */
interface TracedRequest {
  readonly name: string;
  readonly asked: Set<string>;
  readonly statements: {
    readonly table: string;
    readonly isChange: boolean;
    readonly text: string;
    readonly at: string;
  }[];
}

/** Pattern of a table's name after a keyword: `notes`, `"main"."notes"`. */
const after = (keyword: string): RegExp => new RegExp(`${keyword} (?:["\`]?\\w+["\`]?\\.)?["\`]?(\\w+)`, "gi");

// `update` ends other clauses as well: `for update of notes`, `on duplicate key update name`.
const changePattern = after(
  "(?<!\\b(?:for|key|do|on) )\\b(insert (?:or \\w+ |ignore )?into|replace into|update(?: or \\w+| only)?|delete from(?: only)?)",
);
const listPattern = after("\\b(?:from|join)(?: only)?");
// Relations that are loaded into rows are found by keys.
const loadedPattern =
  /\blimmat_key\b| where ["`]\w+["`] (?:= any\(|in \(select (?:value|cast\(id as uuid\)) from json_)/;

/** Returns the names of the tables that a statement changes, in lower case, and whether it only adds rows. */
function changedTables(text: string): readonly (readonly [table: string, isNew: boolean])[] {
  const isUpsert = / (?:do|key) update /i.test(text);
  return [...text.matchAll(changePattern)].map(([, change = "", table = ""]) => [
    table,
    /^insert/i.test(change) && !isUpsert,
  ]);
}

/** Returns the names of the tables whose rows a statement lists, that is, in an order. Conditions are not read. */
function listedTables(text: string): readonly string[] {
  let query = text;
  for (let before = ""; before !== query;) {
    before = query;
    // Of groups in parentheses, only queries of `with`, `from` and `join` are read.
    query = query.replace(/(\b(?:as|from|join|materialized) ?)?\(([^()]*)\)/gi, (_, keyword?: string, group = "") =>
      keyword === undefined ? " " : `${keyword} ${group} `,
    );
  }
  if (!/^(?:select|with) .* order by /i.test(query) || loadedPattern.test(text)) return [];
  return [...query.matchAll(listPattern)].map(([, table = ""]) => table);
}

/**
 * Fails at the end of the scope if a request has changed rows of a table with a policy and asked no policy, or has searched
 * such a table without asking its policy. New rows count if a parent decides about them. Jobs are not traced. Code that needs
 * no permission says so: `Policy.unchecked("public list", () => …)`. Declare it in a test: a scope at the top of a file
 * ends before the tests begin.
 *
 * @throws AssertionError at the end of the scope, with requests, statements and their locations.
 * @example
 * using _ = forbidUnaskedPolicies();
 * await alice.post("/issues", { title: "Broken" });
 */
export function forbidUnaskedPolicies(): Disposable {
  const requests = new Map<unknown, TracedRequest>();
  const current = (): TracedRequest | undefined => {
    const { request_id: id, job_id: job } = LogInternals.currentFields() ?? {};
    // A job has the log fields of the request that has dispatched it, and no person.
    return job === undefined ? requests.get(id) : undefined;
  };
  const begin = (message: unknown): void => {
    const { id, method, path } = message as { readonly id: string; readonly method: string; readonly path: string };
    requests.set(id, { name: `${method} ${path}`, asked: new Set(), statements: [] });
  };
  subscribe(requestChannelName, begin);
  const stopQuestions = PolicyInternals.observeQuestions((table) => void current()?.asked.add(table));
  const stopStatements = observeStatements(({ text, callSite }) => {
    const request = current();
    if (request === undefined || PolicyInternals.isUnchecked()) return;
    const code = text.replaceAll(/'[^']*'/g, "''").replaceAll(/\/\*.*?\*\/ ?/g, "");
    const add = (name: string, isChange: boolean, isNew = false): void => {
      const table = PolicyInternals.policyTables().get(name.toLowerCase());
      if (table === undefined || (isNew && !table.isChild())) return;
      request.statements.push({ table: table.name, isChange, text, at: callSite() });
    };
    for (const [name, isNew] of changedTables(code)) add(name, true, isNew);
    for (const name of listedTables(code)) add(name, false);
  });
  return {
    [Symbol.dispose]: () => {
      stopStatements();
      stopQuestions();
      unsubscribe(requestChannelName, begin);
      const lines = [...requests.values()].flatMap(({ name, asked, statements }) =>
        statements
          .filter(({ table, isChange }) => (isChange ? asked.size === 0 : !asked.has(table)))
          .map(({ text, at }) => `  ${name}: ${text}\n     at ${at}`),
      );
      if (lines.length === 0) return;
      throw new AssertionError({
        message: `Statements ran without a question to the policy of their table. Ask it with where, check or require:\n${lines.join("\n")}`,
        operator: "forbidUnaskedPolicies",
      });
    },
  };
}
