import { errors } from "./errors.ts";
import type { SqlPart } from "../database/index.ts";
import { type Condition, type RelatedTable, type RowOf, TableInternals, type TargetOf } from "../table/index.ts";

/** Person who acts. Rules may need more, such as `admin`. */
export interface User {
  readonly id: string;
}

/** Rule that is made of others. Its row and its user are types only. */
export type Combined =
  | { readonly kind: "anyone"; readonly condition: unknown }
  | { readonly kind: "all" | "any"; readonly rules: readonly AnyRule[] }
  | { readonly kind: "not"; readonly rule: AnyRule }
  | { readonly kind: "related"; readonly relation: string; readonly rule: AnyRule };

/**
 * Condition of a row for a user, as that of `collect`, but without null: a value that the user lacks must not select the rows
 * without a value.
 */
type UserCondition<Row> = SingleCondition<Row> | readonly SingleCondition<Row>[];

type SingleCondition<Row> =
  | { readonly [Name in keyof Row]?: NonNullable<Row[Name]> | readonly NonNullable<Row[Name]>[] }
  | SqlPart;

/** Function of a rule: a condition of the row, or true or false for all rows. */
type RuleFunction<Row, U> = (user: U) => UserCondition<Row> | boolean;

/** Rule without its types. */
export type AnyRule = RuleFunction<never, never> | Combined;

/** Returns the condition of a rule for a user. Throws E_POLICY if it compares a column with a value that the user lacks. */
export function conditionFor(table: RelatedTable, rule: RuleFunction<never, never>, user: User): unknown {
  const condition = (rule as (user: User) => unknown)(user);
  if (typeof condition === "object") refuseMissing(table, condition);
  return condition;
}

function refuseMissing(table: RelatedTable, condition: object | null): void {
  if (condition === null || TableInternals.isSqlPart(condition)) return;
  if (Array.isArray(condition)) return condition.forEach((part: object | null) => refuseMissing(table, part));
  const values = condition as TableInternals.AnyRow;
  const name = Object.keys(values).find((column) => (values[column] ?? null) === null);
  if (name === undefined) return;
  const advice = "Return false for a user without the value. Rows with NULL: is.anyone({ column: null }).";
  throw errors.E_POLICY(table.name, `a rule compares "${name}" with ${String(values[name])}. ${advice}`);
}

declare const types: unique symbol;

/** Rule that functions of `Rules` make. */
interface MadeRule<Row, U> {
  readonly kind: Combined["kind"];
  readonly [types]?: (row: Row, user: U) => void;
}

/** Rule of an action: on which rows a user may take it. */
export type Rule<Row, U> = RuleFunction<Row, U> | MadeRule<Row, U>;

/**
 * Functions that make the rules of a table. `(user) => ({ owner_id: user.id })` is a rule as well: a condition as that of
 * `collect`, without null, or true or false for all rows. It is not called for visitors without a user, who get false. For a
 * value that a user may lack: `(user) => user.company_id !== null && { company_id: user.company_id }`.
 */
export interface Rules<T extends RelatedTable, U = User> {
  /** Allows all rows, or those that match a condition, also visitors who are not logged in: `is.anyone({ public: true })`. */
  anyone(condition?: Condition<RowOf<T>>): Rule<RowOf<T>, U>;
  /** Allows what each of the rules allows. @throws E_POLICY without a rule */
  all(...rules: readonly Rule<RowOf<T>, U>[]): Rule<RowOf<T>, U>;
  /** Allows what one of the rules allows. */
  any(...rules: readonly Rule<RowOf<T>, U>[]): Rule<RowOf<T>, U>;
  /** Allows what a rule does not allow: also a row in which a column that the rule compares is NULL. */
  not(rule: Rule<RowOf<T>, U>): Rule<RowOf<T>, U>;
  /**
   * Functions by relation, which allow the rows with a related row that a rule allows: a membership, or the rule of a parent's
   * policy. Rows that are deleted by `softDelete` count as missing.
   *
   * @example
   * is.related.members((user) => ({ user_id: user.id, role: "admin" }));
   * is.related.project(Project.policy.rules.see);
   */
  // An object, not a function of a name: TypeScript would widen "admin" to a string there.
  readonly related: {
    readonly [Name in keyof T["relations"] & string]: (
      rule: Rule<RowOf<TargetOf<T["relations"], Name>>, U>,
    ) => Rule<RowOf<T>, U>;
  };
}

const combine = (rule: Combined): Combined => Object.freeze(rule);

/**
 * Returns the functions that make the rules of a table, for combinations within a relation. `make` gives those of its table.
 *
 * @example
 * const ofMembers = Policy.rules(members);
 * is.related.members(ofMembers.any((user) => ({ user_id: user.id }), ofMembers.anyone({ public: true })));
 */
export function rules<T extends RelatedTable, U = User>(table: T): Rules<T, U> {
  const related = (relation: string) => (rule: AnyRule) => combine({ kind: "related", relation, rule });
  const functions = {
    anyone: (condition: unknown = true) => combine({ kind: "anyone", condition }),
    all: (...list: readonly AnyRule[]) => {
      if (list.length === 0) throw errors.E_POLICY(table.name, "`all` without a rule would allow everything.");
      return combine({ kind: "all", rules: list });
    },
    any: (...list: readonly AnyRule[]) => combine({ kind: "any", rules: list }),
    not: (rule: AnyRule) => combine({ kind: "not", rule }),
    related: Object.fromEntries(Object.keys(table.relations).map((name) => [name, related(name)])),
  };
  return functions as object as Rules<T, U>;
}
