/** Words that a name in generated code must not be. Tables of words: read them once, then forget them. */

const words = (text: string): string[] => text.trim().split(/\s+/);

/** Keywords and literals of TypeScript, strict mode included (ECMA-262, 12.7.2, and the TypeScript handbook). */
const typescript = words(`
  abstract any as asserts async await bigint boolean break case catch class const continue debugger declare default
  delete do else enum export extends false finally for from function get if implements import in infer instanceof
  interface is keyof let module namespace never new null number object of package private protected public readonly
  require return satisfies set static string super switch symbol this throw true try type typeof undefined unique
  unknown using var void while with yield arguments eval globalThis
`);

/** Words that at least one of SQLite, PostgreSQL and MariaDB reserves, so that they cannot stand unquoted as a name. */
const sqlReserved = words(`
  accessible add all alter always analyse analyze and any array as asc asensitive asymmetric authorization autoincrement
  before between bigint binary blob both by call cascade case cast change char character check collate collation column
  commit concurrently condition constraint continue convert create cross current current_catalog current_date
  current_role current_schema current_time current_timestamp current_user cursor database databases day_hour
  day_microsecond day_minute day_second dec decimal declare default deferrable deferred delayed delete desc describe
  deterministic distinct distinctrow div do double drop dual each else elseif enclosed end escape escaped except exists
  exit explain false fetch float float4 float8 for force foreign freeze from full fulltext generated glob grant group
  having high_priority hour_microsecond hour_minute hour_second if ignore ilike in index indexed infile initially inner
  inout insensitive insert instead int int1 int2 int3 int4 int8 integer intersect interval into is isnull iterate join
  key keys kill lateral leading leave left like limit linear lines load localtime localtimestamp lock long longblob
  longtext loop low_priority match maxvalue mediumblob mediumint mediumtext middleint minute_microsecond minute_second
  mod modifies natural no_write_to_binlog not nothing notnull null numeric of offset on only optimize option optionally
  or order out outer outfile over overlaps partition placing precision primary procedure purge raise range read reads
  real recursive references regexp release rename repeat replace require resignal restrict return returning revoke
  right rlike row row_number rows rollback schema schemas second_microsecond select sensitive separator session_user set
  show signal similar smallint some spatial specific sql sqlexception sqlstate sqlwarning starting straight_join
  symmetric system_user table tablesample terminated then tinyblob tinyint tinytext to trailing transaction trigger true
  undo union unique unlock unsigned update usage user using utc_date utc_time utc_timestamp values varbinary varchar
  varcharacter variadic varying vacuum verbose when where while window with write xor year_month zerofill
`);

/** Names that mean something on every object in JavaScript, or to whoever awaits one. */
const objectMembers = ["constructor", "prototype", "then", ...Object.getOwnPropertyNames(Object.prototype)];

/** The fields that every model has, and the form fields of the framework. */
const baseFields = ["id", "created_at", "updated_at", "csrf"];

/** Names that generated files use for other things: what they import, and what they export beside the model. */
const generatedNames = words(`
  array boolean config configuration console controller database date error errors field file form function global html
  input layout link map math message migration model node number object options page path process promise proxy query
  record reflect regexp repository request response rest result row schema seed service set sql string symbol test url
  view web
`);

const fieldNames: ReadonlyMap<string, string> = new Map([
  ...objectMembers.map((word) => [word, "every object in JavaScript has a member of this name"] as const),
  ...typescript.map((word) => [word, "it is a word of TypeScript"] as const),
  ...sqlReserved.map((word) => [word, "it is a reserved word of SQL"] as const),
  ...baseFields.map(
    (word) => [word, word === "csrf" ? "forms have it for their token" : "every model has it"] as const,
  ),
]);

const modelNames: ReadonlyMap<string, string> = new Map([
  ...generatedNames.map((word) => [word, "the generated code has another meaning for it"] as const),
  ...objectMembers.map((word) => [word, "every object in JavaScript has a member of this name"] as const),
  ...typescript.map((word) => [word, "it is a word of TypeScript"] as const),
]);

const tableNames: ReadonlySet<string> = new Set(sqlReserved);

/** Why a field must not have this name, or `undefined`. */
export function whyNoField(name: string): string | undefined {
  return fieldNames.get(name);
}

/** Why a model, a service, a command or a middleware must not have this name, or `undefined`. */
export function whyNoModel(name: string): string | undefined {
  return modelNames.get(name);
}

/** Why a table must not have this name, or `undefined`. */
export function whyNoTable(name: string): string | undefined {
  return tableNames.has(name) ? "it is a reserved word of SQL" : undefined;
}
