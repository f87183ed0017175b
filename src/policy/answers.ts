import { type DialectName, type OperationOptions, Row, type SqlPart, type Statement } from "../database/index.ts";
import { type RelatedTable, type TableDatabase, TableInternals } from "../table/index.ts";
import { asSql, conditionOf } from "./condition.ts";
import { decide } from "./decide.ts";
import type { AnyRule, User } from "./rule.ts";

const { appendAnyOf, dialectOf, isUuidText, requireModel, StatementBuilder } = TableInternals;

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

const answersRow = Row.record({ id: Row.uuid, allowed: Row.int });

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
    const id = idOf(row);
    const decided = typeof row === "string" ? [undefined] : rules.map((rule) => decide(table, rule, user, row));
    if (decided.includes(undefined)) open.add(id);
    else decisions.set(id, decided as Answers);
  }
  const ids = [...open].filter(isUuidText);
  if (ids.length > 0) {
    const conditions = rules.map((rule) => asSql(conditionOf(table, rule, user)));
    const statement = statementOf(table, conditions, ids, dialectOf(database, options ?? {}));
    for (const { id, allowed } of await database.collect(statement, options)) {
      decisions.set(
        id,
        rules.map((_, index) => (allowed & (1 << index)) !== 0),
      );
    }
  }
  return (row) => decisions.get(idOf(row as Asked)) ?? noAnswers;
}

const idOf = (row: Asked): string => (typeof row === "string" ? row : row.id).toLowerCase();

/** Returns the statement that reads which conditions rows match: a bit for each. */
function statementOf(
  table: RelatedTable,
  conditions: readonly SqlPart[],
  ids: readonly string[],
  dialect: DialectName,
): Statement<{ readonly id: string; readonly allowed: number }> {
  const builder = new StatementBuilder(requireModel(table)).text("select ").name("id").text(", ");
  let bit = 1;
  builder.list(conditions, " + ", (condition) => {
    builder.text("case when ").part(condition).text(` then ${bit} else 0 end`);
    bit *= 2;
  });
  builder.text(" as allowed from ").name(table.name).text(" where ").name("id");
  return appendAnyOf(builder, ids, dialect).build(answersRow);
}
