import { type DialectName, type Handle, Row, sql, type Statement } from "../../database/index.ts";
import { dialectOf } from "../apply.ts";

/** Column of a table in the database. */
export interface LiveColumn {
  readonly name: string;
  /** Type as the database spells it, with a collation on PostgreSQL: `text collate "C"`. */
  readonly type: string;
  readonly isNullable: boolean;
  /** Default as the database spells it, or `undefined`. */
  readonly default: string | undefined;
}

/** Check constraint of a table in the database. SQLite has none apart from the statement that creates the table. */
export interface LiveCheck {
  readonly name: string;
  /** SQL of the check, or of the table. */
  readonly definition: string;
}

/** Index, unique constraint or primary key of a table in the database. */
export interface LiveIndex {
  readonly name: string;
  /** Columns in order; an expression is an empty text. */
  readonly columns: readonly string[];
  readonly kind: "primary" | "unique" | "index";
  /** True if the index covers all rows. */
  readonly isComplete: boolean;
  /** True if the index belongs to a constraint, with which it is dropped. */
  readonly isConstraint: boolean;
}

/** Foreign key of a table in the database. */
export interface LiveForeignKey {
  readonly name: string;
  readonly columns: readonly string[];
  readonly table: string;
  readonly references: readonly string[];
  readonly onDelete: string;
}

/** Table in the database. */
export interface LiveTable {
  readonly name: string;
  readonly columns: readonly LiveColumn[];
  readonly indexes: readonly LiveIndex[];
  readonly foreignKeys: readonly LiveForeignKey[];
  readonly checks: readonly LiveCheck[];
}

const optional = Row.nullable(Row.text);
const columnRow = Row.record({
  table_name: Row.text,
  name: Row.text,
  type: Row.text,
  nullable: Row.int,
  default_text: optional,
});
const checkRow = Row.record({ table_name: Row.text, name: Row.text, definition: Row.text });
/** Column of an index or foreign key. */
const partRow = Row.record({
  table_name: Row.text,
  name: Row.text,
  kind: Row.text,
  column_name: optional,
  target: optional,
  target_column: optional,
  on_delete: optional,
});
const [columns, checks, parts] = [sql.row(columnRow), sql.row(checkRow), sql.row(partRow)];
type PartRow = Row.Infer<typeof partRow>;

interface SchemaStatements {
  readonly columns: Statement<Row.Infer<typeof columnRow>>;
  /** Columns of indexes, in order. */
  readonly indexes: Statement<PartRow>;
  /** Columns of foreign keys, in order. */
  readonly foreignKeys: Statement<PartRow>;
  readonly checks: Statement<Row.Infer<typeof checkRow>>;
}

const noTarget = sql`null as target, null as target_column, null as on_delete`;
const sqliteTables = sql`(select name as table_name from sqlite_schema
  where type = 'table' and name not like 'sqlite!_%' escape '!') tables`;

const statements: Readonly<Record<DialectName, SchemaStatements>> = {
  sqlite: {
    columns: columns`select table_name, name, lower(type) as type, iif("notnull" or pk, 0, 1) as nullable,
        dflt_value as default_text
      from ${sqliteTables}, pragma_table_info(table_name) order by table_name, cid`,
    indexes: parts`select table_name, i.name, c.name as column_name, ${noTarget},
        iif(i.origin = 'pk', 'primary', iif(i."unique", 'unique', 'index')) || iif(partial, ' partial', '') || iif(i.origin = 'u', ' constraint', '') as kind
      from ${sqliteTables}, pragma_index_list(table_name) i, pragma_index_info(i.name) c
      union all select table_name, 'rowid', p.name, ${noTarget}, 'primary' from ${sqliteTables}, pragma_table_info(table_name) p
      where pk > 0 and not exists (select 1 from pragma_index_list(table_name) where origin = 'pk')
      order by 1, 2`,
    foreignKeys: parts`select table_name, 'key ' || id as name, 'foreign' as kind, "from" as column_name, "table" as target,
        "to" as target_column, lower(on_delete) as on_delete
      from ${sqliteTables}, pragma_foreign_key_list(table_name) order by table_name, id, seq`,
    checks: checks`select name as table_name, name, sql as definition from sqlite_schema where type = 'table' and sql is not null`,
  },
  postgresql: {
    columns: columns`select relname::text as table_name, attname::text as name,
        format_type(atttypid, atttypmod) || coalesce(' collate "' || collname || '"', '') as type,
        case when attnotnull then 0 else 1 end as nullable,
        case attgenerated when '' then pg_get_expr(adbin, adrelid) end as default_text
      from pg_class join pg_attribute on attrelid = pg_class.oid join pg_type on pg_type.oid = atttypid
        left join pg_attrdef on adrelid = attrelid and adnum = attnum
        left join pg_collation on pg_collation.oid = attcollation and attcollation <> typcollation
      where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and attnum > 0 and not attisdropped
      order by relname, attnum`,
    indexes: parts`select tables.relname::text as table_name, indexes.relname::text as name, attname::text as column_name, ${noTarget},
        case when indisprimary then 'primary' when indisunique then 'unique' else 'index' end
          || case when indpred is null and indisvalid then '' else ' partial' end
          || case when exists (select from pg_constraint where conindid = indexrelid and contype = 'u') then ' constraint' else '' end as kind
      from pg_index join pg_class tables on tables.oid = indrelid join pg_class indexes on indexes.oid = indexrelid
        cross join lateral unnest(indkey::int[]) with ordinality as keys (attribute, position)
        left join pg_attribute on attrelid = indrelid and attnum = attribute
      where tables.relnamespace = current_schema()::regnamespace and position <= indnkeyatts
      order by tables.relname, indexes.relname, position`,
    foreignKeys: parts`select tables.relname::text as table_name, conname::text as name, 'foreign' as kind,
        source.attname::text as column_name, targets.relname::text as target, target.attname::text as target_column,
        case confdeltype when 'c' then 'cascade' when 'n' then 'set null' when 'd' then 'set default'
          when 'r' then 'restrict' else 'no action' end as on_delete
      from pg_constraint join pg_class tables on tables.oid = conrelid join pg_class targets on targets.oid = confrelid
        cross join lateral unnest(conkey, confkey) with ordinality as keys (source_number, target_number, position)
        join pg_attribute source on source.attrelid = conrelid and source.attnum = source_number
        join pg_attribute target on target.attrelid = confrelid and target.attnum = target_number
      where contype = 'f' and tables.relnamespace = current_schema()::regnamespace
      order by tables.relname, conname, position`,
    checks: checks`select relname::text as table_name, conname::text as name, pg_get_constraintdef(pg_constraint.oid) as definition
      from pg_constraint join pg_class on pg_class.oid = conrelid
      where contype = 'c' and relnamespace = current_schema()::regnamespace order by relname, conname`,
  },
  mariadb: {
    columns: columns`select table_name, column_name as name, concat(column_type, if(collation_name is null, '',
          concat(' collate ', collation_name))) as type, if(is_nullable = 'YES', 1, 0) as nullable,
        column_default as default_text
      from information_schema.columns join information_schema.tables using (table_schema, table_name)
      where table_schema = database() and table_type = 'BASE TABLE' order by table_name, ordinal_position`,
    indexes: parts`select table_name, index_name as name, column_name, ${noTarget},
        concat(if(index_name = 'PRIMARY', 'primary', if(non_unique, 'index', 'unique')),
          if(index_type = 'FULLTEXT', ' partial', '')) as kind
      from information_schema.statistics where table_schema = database() order by table_name, index_name, seq_in_index`,
    foreignKeys: parts`select keys_.table_name, keys_.constraint_name as name, 'foreign' as kind, column_name,
        keys_.referenced_table_name as target, referenced_column_name as target_column, lower(delete_rule) as on_delete
      from information_schema.key_column_usage keys_ join information_schema.referential_constraints rules
        on rules.constraint_schema = keys_.constraint_schema and rules.constraint_name = keys_.constraint_name
          and rules.table_name = keys_.table_name
      where keys_.table_schema = database() and keys_.referenced_table_name is not null
      order by keys_.table_name, keys_.constraint_name, ordinal_position`,
    checks: checks`select table_name, constraint_name as name, check_clause as definition
      from information_schema.check_constraints where constraint_schema = database() order by table_name, constraint_name`,
  },
};

/** Reads the tables of the database with their columns, indexes, foreign keys and checks. */
export async function readLiveSchema(handle: Handle): Promise<ReadonlyMap<string, LiveTable>> {
  const { name: dialect } = dialectOf(handle);
  const schema = statements[dialect];
  const columnRows = await handle.collect(schema.columns);
  const indexGroups = groupParts(await handle.collect(schema.indexes));
  const keyGroups = groupParts(await handle.collect(schema.foreignKeys));
  const print = dialect === "mariadb" ? unescape : (definition: string) => definition;
  const liveChecks = (await handle.collect(schema.checks)).map((check) => ({
    ...check,
    definition: print(check.definition),
  }));
  const checksByTable = Map.groupBy(liveChecks, ({ table_name }) => table_name);
  const columnsByTable = Map.groupBy(columnRows, ({ table_name }) => table_name);
  return new Map(
    [...columnsByTable].map(([name, rows]) => [
      name,
      {
        name,
        columns: rows.map((row) => ({
          name: row.name,
          type: row.type,
          isNullable: row.nullable === 1,
          default: row.default_text === null ? undefined : print(row.default_text),
        })),
        indexes: (indexGroups.get(name) ?? []).map(toIndex),
        foreignKeys: (keyGroups.get(name) ?? []).map(toForeignKey),
        checks: checksByTable.get(name) ?? [],
      },
    ]),
  );
}

const escapedControls: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", Z: "\u001A", "'": "''" };

/** Replaces backslash escapes, with which MariaDB prints texts in every SQL mode: `'it\\'s'` becomes `'it''s'`. */
const unescape = (definition: string): string =>
  definition.replace(/\\(.)/g, (_, character: string) => escapedControls[character] ?? character);

/** Groups rows by table, and those of a table by the name of the index or foreign key. */
function groupParts(rows: readonly PartRow[]): ReadonlyMap<string, readonly (readonly PartRow[])[]> {
  const byTable = Map.groupBy(rows, ({ table_name }) => table_name);
  return new Map(
    [...byTable].map(([table, tableRows]) => [table, [...Map.groupBy(tableRows, ({ name }) => name).values()]]),
  );
}

function toIndex(group: readonly PartRow[]): LiveIndex {
  const [{ name, kind } = { name: "", kind: "index" }] = group;
  const [plainKind = "index", ...marks] = kind.split(" ");
  return {
    name,
    columns: group.map(({ column_name }) => column_name ?? ""),
    kind: plainKind === "primary" || plainKind === "unique" ? plainKind : "index",
    isComplete: !marks.includes("partial"),
    isConstraint: marks.includes("constraint"),
  };
}

function toForeignKey(group: readonly PartRow[]): LiveForeignKey {
  const [{ name, target, on_delete } = { name: "", target: null, on_delete: null }] = group;
  return {
    name,
    columns: group.map(({ column_name }) => column_name ?? ""),
    table: target ?? "",
    // SQLite leaves the column out if it is the primary key.
    references: group.map(({ target_column }) => target_column ?? "id"),
    onDelete: on_delete ?? "no action",
  };
}
