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

const changePattern = /^(insert into|update|delete from) ["`]?(\w+)/i;
// Relations that are loaded into rows are found by keys.
const searchPattern = /^select (?!.*\blimmat_key\b).*? from ["`]?(\w+).* order by /i;

/**
 * Fails at the end of the scope if a request has changed rows of a table with a policy and asked no policy, or has searched
 * such a table without asking its policy. New rows count if a parent decides about them. Code that needs no permission asks
 * by name: `Policy.unchecked("public list", () => …)`.
 *
 * @throws AssertionError at the end of the scope, with requests, statements and their locations.
 * @example
 * using _ = forbidUnaskedPolicies();
 * await alice.post("/issues", { title: "Broken" });
 */
export function forbidUnaskedPolicies(): Disposable {
  const requests = new Map<unknown, TracedRequest>();
  const current = (): TracedRequest | undefined => requests.get(LogInternals.currentFields()?.["request_id"]);
  const begin = (message: unknown): void => {
    const { id, method, path } = message as { readonly id: string; readonly method: string; readonly path: string };
    requests.set(id, { name: `${method} ${path}`, asked: new Set(), statements: [] });
  };
  subscribe(requestChannelName, begin);
  const stopQuestions = PolicyInternals.observeQuestions((table) => void current()?.asked.add(table));
  const stopStatements = observeStatements(({ text, callSite }) => {
    const request = current();
    if (request === undefined || PolicyInternals.isUnchecked()) return;
    const [, change, changed] = changePattern.exec(text) ?? [];
    const table = PolicyInternals.policyTables().get(changed ?? searchPattern.exec(text)?.[1] ?? "");
    if (table === undefined || (change?.startsWith("insert") === true && !table.isChild())) return;
    request.statements.push({ table: table.name, isChange: change !== undefined, text, at: callSite() });
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
