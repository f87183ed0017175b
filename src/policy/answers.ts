import type { OperationOptions, RowType, SqlPart } from "../database/index.ts";
import { type RelatedTable, type TableDatabase, TableInternals } from "../table/index.ts";
import { asSql, conditionOf } from "./condition.ts";
import { decide } from "./decide.ts";
import { errors } from "./errors.ts";
import type { AnyRule, User } from "./rule.ts";

const { appendAnyOf, dialectOf, hidesDeleted, isUuidText, requireModel, StatementBuilder } = TableInternals;

/** Row with its id, or the id alone. */
export type Asked = string | (TableInternals.AnyRow & { readonly id: string });

/** Rows that rules are asked about, and the database that answers what their columns do not. */
interface Question {
  readonly database: TableDatabase;
  readonly rows: readonly Asked[];
  readonly options: OperationOptions | undefined;
}

/** Answers of some rules about a row, in their order. */
type Answers = readonly boolean[];

const noAnswers: Answers = [];

/** Row type of an id, and of a number for each rule: 1 if it allows the row. */
const answersRow: RowType<readonly unknown[]> = {
  columns: [],
  isNullable: () => false,
  reader: () => (values) => values,
};

/**
 * Returns a function that returns the answers of rules about a row, by one statement for the rows whose columns do not decide.
 * A row that does not exist has no answers.
 */
export async function answersOf(
  table: RelatedTable,
  rules: readonly AnyRule[],
  user: User | undefined,
  { database, rows, options }: Question,
): Promise<(row: unknown) => Answers> {
  const decisions = new Map<string, Answers>();
  const open = new Set<string>();
  for (const row of rows) {
    const id = idOf(table, row);
    const decided = typeof row === "string" ? [undefined] : rules.map((rule) => decide(table, rule, user, row));
    if (decided.includes(undefined)) open.add(id);
    else decisions.set(id, decided as Answers);
  }
  const ids = [...open].filter(isUuidText);
  if (ids.length > 0) {
    const conditions = rules.map((rule) => asSql(conditionOf(table, rule, user)));
    const builder = selectAnswers(table, conditions);
    appendAnyOf(builder, ids, dialectOf(database, options ?? {}));
    // A row may have been read although it is deleted. An id is found as `find` does.
    if (rows.some((row) => typeof row === "string") && hidesDeleted(table, {})) {
      builder.text(" and ").name("deleted_at").text(" is null");
    }
    for (const [id, ...answers] of await database.collect(builder.build(answersRow), options)) {
      decisions.set(
        id as string,
        answers.map((answer) => Number(answer) === 1),
      );
    }
  }
  return (row) => decisions.get(idOf(table, row)) ?? noAnswers;
}

/** Returns the id of a row. Throws E_POLICY for what is no row, such as the promise of one. */
export function idOf(table: RelatedTable, row: unknown): string {
  const id: unknown = typeof row === "string" ? row : (row as Partial<Record<"id", unknown>> | null | undefined)?.id;
  if (typeof id === "string") return id.toLowerCase();
  throw errors.E_POLICY(table.name, "a row needs an id. Await the row, and check that there is one.");
}

/** Returns the beginning of the statement that reads which conditions rows match, up to their ids. */
function selectAnswers(table: RelatedTable, conditions: readonly SqlPart[]): TableInternals.StatementBuilder {
  const builder = new StatementBuilder(requireModel(table)).text("select ").name("id");
  for (const [index, condition] of conditions.entries()) {
    builder.text(", case when ").part(condition).text(` then 1 else 0 end as allowed${index}`);
  }
  return builder.text(" from ").name(table.name).text(" where ").name("id");
}
