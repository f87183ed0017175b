import { type DialectName, errors } from "../../database/index.ts";

/** Options of `fullTextIndex`. */
export interface FullTextOptions {
  /** Column of the key. Default `id`. */
  readonly id?: string;
  /**
   * Language of the texts, the name of a text search configuration of PostgreSQL. `english` also stems words on SQLite.
   * MariaDB never stems. Default `simple`: no stemming, so that all databases find the same.
   */
  readonly language?: string;
}

/** Statements of a migration per dialect. */
export type DialectStatements = Readonly<Record<DialectName, readonly string[]>>;

/** Full-text index of a table, created by `fullTextIndex`. */
export interface FullTextIndex {
  readonly table: string;
  readonly columns: readonly string[];
  readonly language: string;
  /** Name of the column (PostgreSQL, MariaDB) or of the table (SQLite) of the index. */
  readonly name: string;
  /** Statements that create the index, for `Migration.step`. */
  readonly up: DialectStatements;
  /** Statements that drop the index. */
  readonly down: DialectStatements;
}

/** Weights of the columns by position, highest first. The letters are those of PostgreSQL. */
export const columnWeights: readonly (readonly [letter: string, weight: number])[] = [
  ["A", 1],
  ["B", 0.4],
  ["C", 0.2],
  ["D", 0.1],
];

/**
 * Describes a full-text index of the text columns of a table: for the migration that creates it, and for the searches that
 * use it. Words in earlier columns weigh more, except on MariaDB.
 *
 * PostgreSQL and MariaDB store a generated column `<table>_full_text`: to create it rewrites the table. SQLite stores an
 * FTS5 table, which triggers keep up to date. PostgreSQL indexes the first 200,000 characters of a row.
 *
 * @throws E_SQL_IDENTIFIER
 * @example
 * const issueText = fullTextIndex("issues", ["title", "body"]);
 * Migration.step("full text of issues", issueText.up, { down: issueText.down });
 */
export function fullTextIndex(table: string, columns: readonly string[], options: FullTextOptions = {}): FullTextIndex {
  const { id = "id", language = "simple" } = options;
  assertIdentifiers([table, id, language, ...columns]);
  if (columns.length === 0) throw errors.E_SQL_IDENTIFIER("", "a full-text index needs a column.");
  const name = `${table}_full_text`;
  const source = { table, columns, id, language, name };
  const up = { postgresql: postgresqlUp(source), sqlite: sqliteUp(source), mariadb: mariadbUp(source) };
  const down = {
    postgresql: [`drop index "${name}_index"`, `alter table "${table}" drop column "${name}"`],
    sqlite: [
      ...["insert", "update", "delete"].map((event) => `drop trigger "${name}_${event}"`),
      `drop table "${name}"`,
      `drop table "${name}_rows"`,
    ],
    mariadb: [`alter table \`${table}\` drop index \`${name}_index\`, drop column \`${name}\``],
  };
  return Object.freeze({ table, columns: [...columns], language, name, up, down });
}

function assertIdentifiers(identifiers: readonly string[]): void {
  const invalid = identifiers.find((identifier) => !/^[A-Za-z_]\w*$/.test(identifier));
  if (invalid === undefined) return;
  throw errors.E_SQL_IDENTIFIER(invalid, "it must consist of letters, digits and underscores.");
}

interface IndexSource {
  readonly table: string;
  readonly columns: readonly string[];
  readonly id: string;
  readonly language: string;
  readonly name: string;
}

// A tsvector has at most 1,048,575 bytes: a longer text could not be inserted. A word takes at most four bytes per character.
const maxIndexedCharacters = 200_000;

/** ASCII punctuation without the quote and the backslash, which need other quotation. */
const punctuation = '!"#$%&()*+,-./:;<=>?@[]^_`{|}~';

function postgresqlUp({ table, columns, language, name }: IndexSource): readonly string[] {
  const maxCharacters = Math.floor(maxIndexedCharacters / columns.length);
  // Without punctuation, the parser finds only words: no host names, paths or signed numbers, which it would not split.
  const separators = `'${punctuation}''' || chr(92)`;
  const vectors = columns.map((column, index) => {
    const text = `translate(left(coalesce("${column}", ''), ${maxCharacters}), ${separators}, repeat(' ', ${punctuation.length + 2}))`;
    return `setweight(to_tsvector('${language}', ${text}), '${columnWeights[Math.min(index, 3)]![0]}')`;
  });
  return [
    `alter table "${table}" add column "${name}" tsvector generated always as (${vectors.join(" || ")}) stored`,
    `create index "${name}_index" on "${table}" using gin ("${name}")`,
  ];
}

function mariadbUp({ table, columns, name }: IndexSource): readonly string[] {
  const texts = columns.map((column) => `\`${column}\``).join(", ");
  // MariaDB counts both as parts of a word.
  const words = `replace(replace(lower(concat_ws(' ', ${texts})), '_', ' '), '''', ' ')`;
  return [
    // Stop words would be required in a search but never found. InnoDB stores this choice in the index.
    "set session innodb_ft_enable_stopword = off",
    `alter table \`${table}\` add column \`${name}\` longtext character set utf8mb4 collate utf8mb4_nopad_bin
      generated always as (${words}) stored invisible, add fulltext index \`${name}_index\` (\`${name}\`)`,
    "set session innodb_ft_enable_stopword = default",
  ];
}

/**
 * Returns the statements for FTS5. The index refers to rows by numbers of its own: `vacuum` can change the `rowid` of tables
 * without an integer key. It stores no second copy of the texts (`content=''`).
 */
function sqliteUp({ table, columns, id, language, name }: IndexSource): readonly string[] {
  // FTS5 refuses columns with the names of its own.
  const names = columns.map((column) => `"${/^(?:rank|rowid)$/i.test(column) ? "limmat_" : ""}${column}"`).join(", ");
  const newValues = columns.map((column) => `new."${column}"`).join(", ");
  const tokenizer = `${language === "english" ? "porter " : ""}unicode61 remove_diacritics 0`;
  const numberOf = (row: string): string => `(select number from "${name}_rows" where id = ${row}."${id}")`;
  const remove = (row: string): string =>
    `delete from "${name}" where rowid = ${numberOf(row)}; delete from "${name}_rows" where id = ${row}."${id}";`;
  const add =
    `insert into "${name}_rows" (id) values (new."${id}"); ` +
    `insert into "${name}" (rowid, ${names}) values (${numberOf("new")}, ${newValues});`;
  const trigger = (event: string, after: string, body: string): string =>
    `create trigger "${name}_${event}" after ${after} on "${table}" begin ${body} end`;
  return [
    `create table "${name}_rows" (number integer primary key, id unique)`,
    `create virtual table "${name}" using fts5 (${names}, content='', contentless_delete=1, tokenize='${tokenizer}')`,
    // `insert or replace` deletes a row without a trigger.
    trigger("insert", "insert", `${remove("new")} ${add}`),
    trigger(
      "update",
      `update of ${[id, ...columns].map((column) => `"${column}"`).join(", ")}`,
      `${remove("old")} ${add}`,
    ),
    trigger("delete", "delete", remove("old")),
    `insert into "${name}_rows" (id) select "${id}" from "${table}"`,
    `insert into "${name}" (rowid, ${names})
      select r.number, ${columns.map((column) => `t."${column}"`).join(", ")}
      from "${table}" as t join "${name}_rows" as r on r.id = t."${id}"`,
  ];
}

/** Statements of an index for the filter text of searches, created by `filterIndex`. */
export interface FilterIndex {
  /** Statements that create the index, for `Migration.step`. */
  readonly up: DialectStatements;
  /** Statements that drop the index. */
  readonly down: DialectStatements;
}

/**
 * Returns the statements of an index that serves `sql.contains` and the `filter` of searches, on PostgreSQL with the
 * extension pg_trgm. If the extension is not available or not permitted, the database warns and creates no index. SQLite and MariaDB
 * have no such index: filters read all rows there, and `fullTextIndex` is the alternative for large tables.
 *
 * The index serves texts with three consecutive letters or digits.
 *
 * @throws E_SQL_IDENTIFIER
 * @example
 * const issueFilter = filterIndex("issues", ["title", "body"]);
 * Migration.step("index of the filter", issueFilter.up, { down: issueFilter.down });
 */
export function filterIndex(table: string, columns: readonly string[]): FilterIndex {
  assertIdentifiers([table, ...columns]);
  const create = columns.map(
    (column) =>
      `create index "${table}_${column}_filter" on "${table}" using gin (lower(cast("${column}" as text) collate "C") gin_trgm_ops);`,
  );
  const warning = `the filter of ${table} has no index and reads all rows`;
  const block = `do $block$ begin
    if not exists (select from pg_available_extensions where name = 'pg_trgm') then
      raise warning 'pg_trgm is not available: ${warning}';
      return;
    end if;
    create extension if not exists pg_trgm;
    ${create.join("\n    ")}
  exception when insufficient_privilege then
    raise warning 'pg_trgm is not permitted: ${warning}';
  end $block$`;
  const drop = columns.map((column) => `drop index if exists "${table}_${column}_filter"`);
  return Object.freeze({
    up: { postgresql: [block], sqlite: [], mariadb: [] },
    down: { postgresql: drop, sqlite: [], mariadb: [] },
  });
}
