import { Context, error, lazy, type LimmatError, ok, type Result } from "../core/index.ts";
import { type OperationOptions, sql, type SqlPart } from "../database/index.ts";
import { Log } from "../log/index.ts";
import { type RelatedTable, type RowOf, type TableDatabase, TableInternals } from "../table/index.ts";
import { answersOf, type Asked, idOf } from "./answers.ts";
import { asSql, conditionOf } from "./condition.ts";
import { decide } from "./decide.ts";
import { errors } from "./errors.ts";
import { isAllowed, notifyQuestion, registerTable, rememberAllowed } from "./questions.ts";
import { simplify } from "./simplify.ts";
import { type AnyRule, type Rule, type Rules, rules as rulesOfTable, type User } from "./rule.ts";

const log = Log.source("limmat.policy");

/** Work that no person does, such as a job. Policies allow it everything. Created by `system`. */
export class System {
  // Private, so that no other object with a name has this type.
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }

  /** Name of the work, for the log. */
  get name(): string {
    return this.#name;
  }

  /** Returns true for work of the system. */
  static is(actor: unknown): actor is System {
    return typeof actor === "object" && actor !== null && #name in actor;
  }
}

/**
 * Returns an actor for work that no person does. Policies allow it everything, and log each question of it at the level
 * `debug`.
 *
 * @example
 * const rows = await invoices.collect(database, { where: policy.where(Policy.system("reminders")) });
 */
export const system = (name: string): System => new System(name);

/** Who acts: a user, `undefined` for a visitor who is not logged in, or the work of the system. */
export type Actor<U extends User = User> = U | undefined | System;

/** Actions that fields need, by field. */
export type FieldActions<Field extends string = string, Action extends string = string> = {
  readonly [Name in Field]?: Action;
};

/** Options of a policy. */
export interface PolicyOptions<Action extends string, Field extends string = string> {
  /** Reasons of refusals by action, for the person. Default: "You may not do this." */
  readonly reasons?: { readonly [Name in Action]?: () => string };
  /**
   * Actions that an actor needs on a row to read a field or a loaded relation of it: `{ salary: "administer" }`. Others get rows
   * without it, and without the relation of a foreign key, from `redact` and from resources. The `search` of the table cannot name
   * it, which would reveal its values. Default: `see`.
   */
  readonly readable?: FieldActions<Field, Action>;
  /**
   * Actions that an actor needs on a row to change a field of it in a resource. New rows have its default. A field that the actor
   * may not read cannot be changed either. Default: that of the change.
   */
  readonly writable?: FieldActions<Field, Action>;
}

/** Row or its id. */
export type RowReference<Row> = Row | string;

/** Answers whether an actor may do something with a row of those that were asked about. */
export type Can<Row, Action extends string> = (action: Action, row: Row) => boolean;

/** Who may do what with the rows of a table. Created by `make`. */
export interface Policy<Row, Action extends string, U extends User = User> {
  /** Name of the table. */
  readonly table: string;
  /** Rules by action, for the policies of other tables: `is.related.project(Project.policy.rules.see)`. */
  readonly rules: { readonly [Name in Action]: Rule<Row, U> };
  readonly readable: FieldActions;
  readonly writable: FieldActions;
  /**
   * Returns the condition of the rows on which an actor may take an action, for `where` of `search`, `collect`, `find` and `count`.
   * It adds no statement. Default action: `see`.
   */
  readonly where: (actor: Actor<U>, action?: Action) => SqlPart;
  /**
   * Checks whether an actor may do something with a row. Sends no statement if the columns of the row decide, otherwise one:
   * pass the row as it was read, or its id. The id of a row deleted by `softDelete` is that of no row.
   * The error is E_POLICY_NO_ROW (404) for a row that the actor may not see or that does not exist, otherwise E_POLICY_REFUSED
   * (403) with the reason.
   */
  readonly check: (
    database: TableDatabase,
    actor: Actor<U>,
    action: Action,
    row: RowReference<Row>,
    options?: OperationOptions,
  ) => Promise<Result<undefined, LimmatError>>;
  /** Checks as `check`, and throws the error. @throws E_POLICY_NO_ROW, E_POLICY_REFUSED */
  readonly require: (
    database: TableDatabase,
    actor: Actor<U>,
    action: Action,
    row: RowReference<Row>,
    options?: OperationOptions,
  ) => Promise<void>;
  /**
   * Answers questions about the rows of a list, such as which buttons a page shows. Sends no statement if the columns of
   * the rows decide, otherwise one for all rows and actions.
   *
   * @example
   * const can = await policy.can(database, user, issues, ["change", "close"]);
   * issues.map((issue) => (can("close", issue) ? closeButton(issue) : ""));
   */
  readonly can: <Asked extends Action, Item extends Row>(
    database: TableDatabase,
    actor: Actor<U>,
    rows: readonly Item[],
    actions: readonly Asked[],
    options?: OperationOptions,
  ) => Promise<Can<Item, Asked>>;
  /**
   * Checks whether an actor may add a row, by the action `create`. Its rule compares the user only, as a new row has no columns yet;
   * it is the only action without `see`. @throws E_POLICY_REFUSED, E_POLICY for a rule that asks about the row
   */
  readonly requireNew: (actor: Actor<U>) => void;
  /** Returns rows without the fields that an actor may not read, by the option `readable`. Sends at most one statement. */
  readonly redact: <Item extends Row>(
    database: TableDatabase,
    actor: Actor<U>,
    rows: readonly Item[],
    options?: OperationOptions,
  ) => Promise<readonly Item[]>;
}

/**
 * Creates the policy of a table: a rule for each action. `see` is required, and part of each rule but `create`: a row that an actor may not see
 * does not exist for the actor.
 *
 * @throws E_TABLE for a table that `Table.make` did not create, E_POLICY for a field that its search reveals
 * @example
 * export const policy = Policy.make(comments, (is) => ({
 *   see: is.any(is.anyone({ public: true }), (user) => ({ owner_id: user.id })),
 *   change: (user) => ({ owner_id: user.id }),
 * }));
 */
export function make<T extends RelatedTable, Action extends string, U extends User>(
  table: T,
  // No type parameter for the record: its constraint would decide on `U` before the annotation of `is` does.
  rulesOf: (is: Rules<T, U>) => Readonly<Record<Action | "see", Rule<RowOf<T>, U>>>,
  options: PolicyOptions<NoInfer<Action> | "see", (keyof RowOf<T> | keyof T["relations"]) & string> = {},
): Policy<RowOf<T>, Action | "see", U> {
  type Name = Action | "see";
  type Row = RowOf<T>;
  const { search, relations } = TableInternals.requireModel(table);
  const rules = withSee(rulesOf(rulesOfTable<T, U>(table)));
  registerTable(table, rules.see as AnyRule);
  const isSeeOnly = Object.keys(rules).length === 1;
  const reasons = new Map<string, (() => string) | undefined>(Object.entries(options.reasons ?? {}));
  const simplified = new Map<string, AnyRule>();
  const ruleOf = (action: Name): AnyRule => {
    const known = simplified.get(action);
    if (known !== undefined) return known;
    if (Object.hasOwn(rules, action)) {
      const rule = simplify(table, rules[action] as AnyRule);
      simplified.set(action, rule);
      return rule;
    }
    throw errors.E_POLICY(
      table.name,
      `it has no action ${JSON.stringify(action)}. Its actions: ${Object.keys(rules).join(", ")}.`,
    );
  };
  /** Returns true for work of the system, which the log names. Throws E_POLICY for what is no actor. */
  const isSystem = (actor: Actor<U>, action: Name): actor is System => {
    if (!System.is(actor)) {
      // A rule that does not read the user would take anything else for one: null, or the promise of a user.
      if (actor === undefined || typeof (actor as Partial<User> | null)?.id === "string") return false;
      throw errors.E_POLICY(table.name, "an actor is a user with an id, undefined for a visitor, or Policy.system(…).");
    }
    log.debug(`${actor.name} may ${action} all rows of ${table.name}`);
    return true;
  };
  const ask = (
    database: TableDatabase,
    actor: U | undefined,
    rows: readonly RowReference<Row>[],
    actions: readonly Name[],
    operationOptions: OperationOptions | undefined,
  ) =>
    answersOf(table, actions.map(ruleOf), actor, {
      database,
      rows: rows as readonly Asked[],
      options: operationOptions,
    });

  const check: Policy<Row, Name, U>["check"] = async (database, actor, action, row, operationOptions) => {
    const rule = ruleOf(action);
    notifyQuestion(table.name, [row], true);
    if (isSystem(actor, action)) return ok();
    const pool = Context.get(operationOptions?.ctx, "pool");
    const question = { rules, action, user: actor, id: idOf(table, row), database, pool };
    const decided = typeof row === "string" ? undefined : decide(table, rule, actor, row as Exclude<Asked, string>);
    if (decided === undefined && isAllowed(question)) return ok();
    const [allowed, isSeen] =
      decided === true ? [true] : (await ask(database, actor, [row], [action, "see"], operationOptions))(row);
    if (allowed === true) {
      rememberAllowed(question);
      return ok();
    }
    return error(isSeen === true ? errors.E_POLICY_REFUSED(reasons.get(action)?.()) : errors.E_POLICY_NO_ROW());
  };
  const can: Policy<Row, Name, U>["can"] = async (database, actor, rows, actions, operationOptions) => {
    // The other actions are for the buttons of rows that the page shows anyway.
    if ((actions as readonly Name[]).includes("see")) {
      notifyQuestion(table.name, rows, isSeeOnly || actions.length > 1);
    }
    if (actions.some((action) => isSystem(actor, action))) return () => true;
    const answers = await ask(database, actor as U | undefined, rows, actions, operationOptions);
    return (action, row) => answers(row)[actions.indexOf(action)] === true;
  };
  const { readable = {}, writable = {} } = options;
  const hidden = Object.entries<Name | undefined>(readable).filter(isFieldAction);
  const readingActions = [...new Set(hidden.map(([, action]) => action))];
  // The row of a foreign key reveals the key. Relations can be resolved after all tables are made.
  const hiddenNames = lazy(() =>
    hidden.flatMap(([column, action]) => {
      const parents = [...relations()].filter(
        ([, relation]) => relation.kind === "belongsTo" && relation.column === column,
      );
      return [column, ...parents.map(([name]) => name)].map((name) => [name, action] as const);
    }),
  );
  for (const [, action] of Object.entries<Name | undefined>({ ...readable, ...writable }).filter(isFieldAction)) {
    ruleOf(action);
  }
  const revealed = Object.values(search).flatMap((names: readonly string[]) => names);
  for (const [name] of hidden) {
    if (!revealed.includes(name)) continue;
    throw errors.E_POLICY(
      table.name,
      `the search of the table names the field "${name}", and would reveal its values.`,
    );
  }
  return Object.freeze<Policy<Row, Name, U>>({
    table: table.name,
    rules,
    readable: Object.freeze({ ...readable }),
    writable: Object.freeze({ ...writable }),
    where: (actor, action = "see") => {
      const rule = ruleOf(action);
      const isForSystem = isSystem(actor, action);
      if (!isForSystem) rememberAllowed({ rules, action, user: actor });
      // In parentheses, so that it stays one condition in the SQL of an application.
      const condition = sql`(${asSql(isForSystem || conditionOf(table, rule, actor))})`;
      notifyQuestion(table.name, condition, isForSystem || isSeeOnly || action !== "see");
      return condition;
    },
    check,
    require: async (...question) => {
      const result = await check(...question);
      if (!result.ok) throw result.error;
    },
    can,
    requireNew: (actor) => {
      const rule = ruleOf("create" as Name);
      if (isSystem(actor, "create" as Name)) return;
      const decided = decide(table, rule, actor, {});
      if (decided === undefined) {
        throw errors.E_POLICY(
          table.name,
          "the rule of `create` asks about a row. Compare the user only, or ask the policy of the parent.",
        );
      }
      if (!decided) throw errors.E_POLICY_REFUSED(reasons.get("create")?.());
    },
    redact: async (database, actor, rows, operationOptions) => {
      if (hidden.length === 0 || rows.length === 0) return rows;
      const allows = await can(database, actor, rows, readingActions, operationOptions);
      return rows.map((row) => {
        const refused = new Set(hiddenNames().flatMap(([name, action]) => (allows(action, row) ? [] : [name])));
        if (refused.size === 0) return row;
        return Object.fromEntries(Object.entries(row as object).filter(([name]) => !refused.has(name))) as typeof row;
      });
    },
  });
}

const isFieldAction = <Action>(entry: [string, Action | undefined]): entry is [string, Action] =>
  entry[1] !== undefined;

/** Returns the rules, each of which allows only what `see` allows. */
function withSee<A extends { readonly see: unknown }>(rules: A): A {
  const see = rules.see as AnyRule;
  const entries = Object.entries(rules).map(([action, rule]) => [
    action,
    // A new row is not there to be seen.
    rule === see || action === "create" ? rule : Object.freeze({ kind: "all", rules: [see, rule] }),
  ]);
  return Object.freeze(Object.fromEntries(entries)) as A;
}
