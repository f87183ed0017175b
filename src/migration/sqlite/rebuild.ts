import { connectionOf, type Handle, Row, sql } from "../../database/index.ts";
import { errors } from "../errors.ts";
import { isDescribedCheck } from "../schema/described-check.ts";
import { isSymbol, keyword, partsAt, splitAtCommas, type SqlStatement, type SqlToken } from "../sql-tokens.ts";
import {
  columnConstraints,
  type CreateTable,
  parseCreateTable,
  parsePart,
  sqlTextOf,
  type TablePart,
} from "./create-table.ts";

/** Change of a table that SQLite makes by a new table. */
export type TableRebuildChange =
  | { readonly kind: "modify"; readonly definition: string }
  | { readonly kind: "add"; readonly constraint: string }
  | { readonly kind: "drop"; readonly constraint: "foreign key" | "unique"; readonly columns: readonly string[] };

/** Table with its changes. */
export interface TableAlteration {
  readonly table: string;
  readonly changes: readonly TableRebuildChange[];
}

/**
 * Returns the changes of an `alter table` statement that SQLite does not have: `modify column …`, `add foreign key …` and
 * other constraints, `drop foreign key (…)` and `drop unique (…)`. Returns `undefined` for another statement.
 */
export function alterationOf({ source, tokens }: SqlStatement): TableAlteration | undefined {
  if (keyword(tokens[0]) !== "alter" || keyword(tokens[1]) !== "table") return undefined;
  const changes: TableRebuildChange[] = [];
  for (const part of splitAtCommas(tokens.slice(3))) {
    const change = changeOf(source, part);
    if (change === undefined) return undefined;
    changes.push(change);
  }
  return { table: tokens[2]?.text ?? "", changes };
}

function changeOf(source: string, part: readonly SqlToken[]): TableRebuildChange | undefined {
  const [verb, second, third] = part.slice(0, 3).map(keyword);
  if (verb === "modify") {
    return { kind: "modify", definition: sqlTextOf(source, part.slice(second === "column" ? 2 : 1)) };
  }
  if (verb === "add" && ["foreign", "check", "unique", "constraint"].includes(second ?? "")) {
    return { kind: "add", constraint: sqlTextOf(source, part.slice(1)) };
  }
  const open = second === "foreign" && third === "key" ? 3 : second === "unique" ? 2 : -1;
  if (verb === "drop" && isSymbol("(")(part[open])) {
    const columns = namesIn(part.slice(open));
    return { kind: "drop", constraint: second === "unique" ? "unique" : "foreign key", columns };
  }
  return undefined;
}

const namesIn = (tokens: readonly SqlToken[]): readonly string[] =>
  partsAt(tokens, 0).map(([name]) => name?.text.toLowerCase() ?? "");

const schemas = sql.row(Row.record({ name: Row.text, sql: Row.text }));
const texts = sql.value(Row.text);

/**
 * Creates a table again with changes, as the manual of SQLite says (ALTER TABLE, part 7): a new table, a copy of the rows,
 * and the indexes and triggers of the old one. Called in a transaction without foreign keys. Throws E_MIGRATION_REBUILD.
 */
export async function rebuildTable(handle: Handle, label: string, { table, changes }: TableAlteration): Promise<void> {
  const { connection } = connectionOf(handle);
  const refuse = (reason: string): Error => errors.E_MIGRATION_REBUILD(label, table, reason);
  const found = await handle.findOpt(
    schemas`select name, sql from sqlite_schema where type = 'table' and lower(name) = ${table.toLowerCase()}`,
  );
  const created = found === undefined ? undefined : parseCreateTable(withoutLimmatChecks(found.sql));
  if (found === undefined || created === undefined) throw refuse("it does not exist");
  const { name } = found;
  const objects = await handle.collect(
    texts`select sql from sqlite_schema where tbl_name = ${name} and type in ('index', 'trigger') and sql is not null
      order by type, rowid`,
  );
  const columns = await handle.collect(texts`select name from pragma_table_xinfo(${name}) where hidden = 0`);
  const list = columns.map(quote).join(", ");
  const copy = `limmat_new_${name}`;
  const sequence = await findSequence(handle, name);
  const statements = [
    printTable(copy, applyChanges(created, changes, refuse)),
    `insert into ${quote(copy)} (${list}) select ${list} from ${quote(name)}`,
    `drop table ${quote(name)}`,
    // Views and triggers of other tables may name the table, which is missing for a moment.
    "pragma legacy_alter_table = on",
    `alter table ${quote(copy)} rename to ${quote(name)}`,
    "pragma legacy_alter_table = off",
    ...(sequence === undefined ? [] : [`update sqlite_sequence set seq = ${sequence} where name = ${literal(name)}`]),
    ...objects,
  ];
  for (const statement of statements) await connection.script(statement);
}

/** Returns the last number that an `autoincrement` column has given out. */
async function findSequence(handle: Handle, name: string): Promise<bigint | number | undefined> {
  const exists = await handle.findOpt(sql.value(Row.int)`select 1 from sqlite_schema where name = 'sqlite_sequence'`);
  if (exists === undefined) return undefined;
  return handle.findOpt(sql.value(Row.int)`select seq from sqlite_sequence where name = ${name}`);
}

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

const printTable = (name: string, { parts, options }: CreateTable): string =>
  `create table ${quote(name)} (\n  ${parts.map(({ text }) => text).join(",\n  ")}\n)${options}`;

/** Removes the checks that the driver adds to each `create table`. */
function withoutLimmatChecks(text: string): string {
  const start = /\s+constraint\s+"?limmat_\w+"?\s+check\s*\(/i.exec(text);
  if (start === null) return text;
  let depth = 1;
  let index = start.index + start[0].length;
  for (; index < text.length && depth > 0; index++) {
    if (text[index] === "'") index = text.indexOf("'", index + 1);
    if (text[index] === "(") depth += 1;
    if (text[index] === ")") depth -= 1;
  }
  return withoutLimmatChecks(text.slice(0, start.index) + text.slice(index));
}

function applyChanges(
  { parts, options }: CreateTable,
  changes: readonly TableRebuildChange[],
  refuse: (reason: string) => Error,
): CreateTable {
  let edited = [...parts];
  for (const change of changes) {
    if (change.kind === "add") edited.push(parsePart(change.constraint));
    if (change.kind === "modify") {
      const definition = parsePart(change.definition);
      const index = edited.findIndex(({ column }) => column !== undefined && column === definition.column);
      if (index === -1) throw refuse(`it has no column "${definition.column}"`);
      edited[index] = parsePart(modifiedColumn(edited[index] as TablePart, change.definition, definition));
    }
    if (change.kind === "drop") {
      const kept = edited.flatMap((part) => withoutConstraint(part, change));
      if (kept.every((part, index) => part === edited[index]) && kept.length === edited.length) {
        throw refuse(`it has no ${change.constraint} on ${change.columns.join(", ")}`);
      }
      edited = kept;
    }
  }
  return { parts: edited, options };
}

/** Constraints of a column that its new definition does not repeat, as they belong to the table elsewhere. */
const keptConstraints = ["primary", "unique", "references", "collate"];

/** Returns a new definition of a column with the keys, references, collation and other checks of the old one. */
function modifiedColumn(old: TablePart, text: string, definition: TablePart): string {
  const own = new Set(columnConstraints(definition.tokens).map(({ kind }) => kind));
  const kept = columnConstraints(old.tokens).filter(
    ({ kind, tokens }) =>
      (keptConstraints.includes(kind) && !own.has(kind)) ||
      (kind === "check" && !isDescribedCheck(sqlTextOf(old.source, tokens), definition.column ?? "")),
  );
  return [text, ...kept.map(({ tokens }) => sqlTextOf(old.source, tokens))].join(" ");
}

function withoutConstraint(
  part: TablePart,
  { constraint, columns }: Extract<TableRebuildChange, { kind: "drop" }>,
): readonly TablePart[] {
  const isSame = (names: readonly string[]): boolean => names.join("\n") === columns.join("\n");
  if (part.column === undefined) {
    const start = keyword(part.tokens[0]) === "constraint" ? 2 : 0;
    const word = constraint === "unique" ? "unique" : "foreign";
    if (keyword(part.tokens[start]) !== word) return [part];
    return isSame(namesIn(part.tokens.slice(part.tokens.findIndex(isSymbol("("))))) ? [] : [part];
  }
  const kind = constraint === "unique" ? "unique" : "references";
  const dropped = columnConstraints(part.tokens).find((candidate) => candidate.kind === kind);
  if (dropped === undefined || !isSame([part.column])) return [part];
  const { start = 0 } = dropped.tokens[0] ?? {};
  const before = part.tokens.filter((token) => token.end <= start);
  const after = part.tokens.slice(before.length + dropped.tokens.length);
  return [parsePart(`${sqlTextOf(part.source, before)} ${sqlTextOf(part.source, after)}`)];
}
