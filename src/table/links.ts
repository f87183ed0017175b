import { errors } from "./errors.ts";
import { type DialectName, type OperationOptions, sql, type Statement, untypedRow } from "../database/index.ts";
import { appendAnyOf, appendPairs, dialectOf, type TableDatabase } from "./database.ts";
import type { ResolvedRelation, TableModel } from "./model.ts";
import { StatementBuilder } from "./statement-builder.ts";
import { isUuidText } from "./values.ts";
import { keyOf } from "./write.ts";

interface LinkedItem {
  readonly id: string;
}

/** Operations on the rows of a join table. Ids that are linked already, or not linked, are no error. */
export interface Links {
  /** Links an item to exactly these rows. Throws E_DATABASE_FOREIGN_KEY if one does not exist. */
  readonly set: (
    database: TableDatabase,
    item: LinkedItem,
    ids: readonly string[],
    options?: OperationOptions,
  ) => Promise<void>;
  /** Links an item to further rows. Throws E_DATABASE_FOREIGN_KEY if one does not exist. */
  readonly add: (
    database: TableDatabase,
    item: LinkedItem,
    ids: readonly string[],
    options?: OperationOptions,
  ) => Promise<void>;
  /** Removes links of an item. */
  readonly remove: (
    database: TableDatabase,
    item: LinkedItem,
    ids: readonly string[],
    options?: OperationOptions,
  ) => Promise<void>;
}

// Concurrent changes of the links of one item can deadlock on MariaDB. A transaction around them has its own retries.
const defaultRetries = 3;

/** Creates the link operations of the relations through a join table, by name. */
export function makeLinks(model: TableModel): Readonly<Record<string, Links>> {
  const relations = [...model.relations().values()].filter(({ kind }) => kind === "manyToMany");
  return Object.freeze(Object.fromEntries(relations.map((relation) => [relation.name, linksOf(model, relation)])));
}

function linksOf(model: TableModel, { name, column, join }: ResolvedRelation): Links {
  const { table, targetColumn } = join!;
  const checkedKey = (item: LinkedItem): string => keyOf({ ...model, version: false }, item).id;
  const checkedIds = (ids: readonly string[]): readonly string[] => {
    const invalid = Array.isArray(ids) ? ids.find((id) => !isUuidText(id)) : ids;
    if (invalid !== undefined) throw errors.E_TABLE_VALUE(model.name, name, "a list of UUIDs", JSON.stringify(invalid));
    // In one order, so that concurrent calls do not wait for each other's rows.
    return [...new Set(ids.map((id) => id.toLowerCase()))].toSorted();
  };
  const insert = (key: string, ids: readonly string[], dialect: DialectName): Statement<unknown> => {
    const builder = new StatementBuilder(model).text("insert into ").name(table);
    appendPairs(builder.text(" (").names([column, targetColumn]).text(") "), key, ids, dialect);
    // `insert ignore` of MariaDB would ignore foreign keys too.
    if (dialect === "mariadb") {
      builder.text(" on duplicate key update ").name(column).text(" = values(").name(column).text(")");
    } else builder.text(" on conflict do nothing");
    return builder.build(untypedRow);
  };
  const remove = (key: string, ids: readonly string[], dialect: DialectName, joint = " and ("): Statement<unknown> => {
    const builder = new StatementBuilder(model).text("delete from ").name(table).text(" where ").name(column);
    builder.text(" = ").value(key).text(joint).name(targetColumn);
    return appendAnyOf(builder, ids, dialect).text(")").build(untypedRow);
  };
  const change =
    (statementOf: typeof insert): Links["add"] =>
    async (database, item, ids, callerOptions) => {
      const options = { maxRetries: defaultRetries, ...callerOptions };
      const [key, checked] = [checkedKey(item), checkedIds(ids)];
      if (checked.length > 0) await database.exec(statementOf(key, checked, dialectOf(database, options)), options);
    };
  return Object.freeze<Links>({
    set: async (database, item, ids, callerOptions) => {
      const options = { maxRetries: defaultRetries, ...callerOptions };
      const [key, checked] = [checkedKey(item), checkedIds(ids)];
      await database.transaction(async (transaction) => {
        const dialect = dialectOf(transaction, options);
        await transaction.findOpt(lockStatement(model, key), options);
        await transaction.exec(remove(key, checked, dialect, " and not ("), options);
        if (checked.length > 0) await transaction.exec(insert(key, checked, dialect), options);
      }, options);
    },
    add: change(insert),
    remove: change(remove),
  });
}

/**
 * Locks an item until the end of the transaction, so that concurrent calls of `set` run one after the other: otherwise the
 * item would get the links of all of them, or a deadlock. SQLite has one writer at a time.
 */
function lockStatement(model: TableModel, key: string): Statement<unknown> {
  const builder = new StatementBuilder(model).text("select ").name("id").text(" from ").name(model.name);
  return builder.text(" where ").name("id").text(" = ").value(key).part(lockClause).build(untypedRow);
}

const lockClause = sql.dialect({ sqlite: sql``, postgresql: sql` for no key update`, mariadb: sql` for update` });
