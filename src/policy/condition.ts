import { sql, type SqlPart } from "../database/index.ts";
import { type RelatedTable, TableInternals } from "../table/index.ts";
import { type AnyRule, conditionFor, type User } from "./rule.ts";

const { always, columnFragment, conditionPart, hidesDeleted, isSqlPart, joinConditions, never, requireModel } =
  TableInternals;
type ResolvedRelation = TableInternals.ResolvedRelation;

/** Condition of a rule: SQL, or true or false for all rows. */
export type RuleCondition = SqlPart | boolean;

/**
 * Returns the condition of the rows that a rule allows a user. It is true or not, also for NULL: only its negation could
 * tell false from unknown, and says `is not true`.
 */
export function conditionOf(table: RelatedTable, rule: AnyRule, user: User | undefined): RuleCondition {
  // SQL needs no model: related tables may have been created without `Table.make`, as that of the users.
  const ofRows = (condition: unknown): RuleCondition =>
    typeof condition === "boolean" || isSqlPart(condition) ? condition : conditionPart(requireModel(table), condition);
  if (typeof rule === "function") return user !== undefined && ofRows(conditionFor(table, rule, user));
  switch (rule.kind) {
    case "anyone":
      return ofRows(rule.condition);
    case "all":
      return joined(table, rule.rules, user, false);
    case "any":
      return joined(table, rule.rules, user, true);
    case "not": {
      const condition = conditionOf(table, rule.rule, user);
      return typeof condition === "boolean" ? !condition : sql`(${condition}) is not true`;
    }
    default: {
      const relation = relationOf(table, rule.relation);
      const condition = conditionOf(relation.target, rule.rule, user);
      return condition === false ? false : relatedCondition(relation, condition);
    }
  }
}

/** Returns a condition as SQL. */
export const asSql = (condition: RuleCondition): SqlPart =>
  typeof condition === "boolean" ? (condition ? always : never) : condition;

/** Combines rules. One with the result `deciding` decides alone; the opposite changes nothing. */
function joined(
  table: RelatedTable,
  rules: readonly AnyRule[],
  user: User | undefined,
  deciding: boolean,
): RuleCondition {
  const conditions = rules.map((rule) => conditionOf(table, rule, user));
  if (conditions.includes(deciding)) return deciding;
  const parts = conditions.filter((condition) => typeof condition !== "boolean");
  return parts.length === 0 ? !deciding : joinConditions(parts, deciding ? "or" : "and");
}

/** Returns a relation of a table. */
export const relationOf = (table: RelatedTable, name: string): ResolvedRelation =>
  requireModel(table).relations().get(name) as ResolvedRelation;

/** Returns the condition of the rows with a related row that matches a condition. */
function relatedCondition({ kind, column, target, join }: ResolvedRelation, condition: SqlPart | true): SqlPart {
  const [id, key, from] = [columnFragment("id"), columnFragment(column), columnFragment(target.name)];
  const conditions = [
    ...(condition === true ? [] : [condition]),
    ...(hidesDeleted(target, {}) ? [sql`${columnFragment("deleted_at")} is null`] : []),
    // Without NULL in the list, the condition is true or false.
    ...(kind === "hasMany" || kind === "hasOne" ? [sql`${key} is not null`] : []),
  ];
  const where = conditions.length === 0 ? sql`` : sql` where ${joinConditions(conditions, "and")}`;
  if (kind === "belongsTo") return sql`${key} in (select ${id} from ${from}${where})`;
  if (join === undefined) return sql`${id} in (select ${key} from ${from}${where})`;
  // Qualified: a column that the join table lacks would be that of the row itself.
  const [joinKey, targetKey] = [column, join.targetColumn].map((name) => columnFragment(`${join.table}.${name}`));
  const through = columnFragment(join.table);
  return sql`${id} in (select ${joinKey} from ${through} where ${targetKey} in (select ${id} from ${from}${where}))`;
}
