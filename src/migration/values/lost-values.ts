import type { ColumnStorage, DialectName } from "../../database/index.ts";
import { columnTypeText, type SchemaDialect } from "../../table/index.ts";

/** Change of the type of a column. */
export interface TypeChange {
  /** Quoted name of the column. */
  readonly column: string;
  /** Old type, or `undefined` for one that limmat does not create. */
  readonly from: ColumnStorage | undefined;
  readonly to: ColumnStorage;
}

type Kind = ColumnStorage["type"];

/** Returns the condition for values that a change of the type would lose or alter, or `undefined` if it keeps all values. */
export function lostValues(change: TypeChange, printer: SchemaDialect): string | undefined {
  const { column, from, to } = change;
  if (isWidening(from, to)) return undefined;
  if (from === undefined || !canConvert(from.type, to.type, printer.name)) return `${column} is not null`;
  // The cast to a text of limited length cuts.
  if (to.type === "string") {
    const length = printer.name === "sqlite" ? "length" : "char_length";
    return `${length}(${textExpression(column, from, printer.name)}) > ${to.length ?? 255}`;
  }
  if (to.type === "bool") return `${column} not in (0, 1)`;
  if (printer.name === "postgresql") return lostOnPostgresql(column, from, to, printer);
  return printer.name === "mariadb" ? lostOnMariadb(column, from, to) : lostOnSqlite(column, from, to);
}

/** Returns the expression that converts the values on PostgreSQL, or `undefined` if the assignment does, and never cuts. */
export function conversion({ column, from, to }: TypeChange, printer: SchemaDialect): string | undefined {
  if (from === undefined || !canConvert(from.type, to.type, "postgresql"))
    return `${column}::text::${typeText(to, printer)}`;
  if (from.type === to.type || isText(to.type)) return undefined;
  // The casts between truth values and integers exist for integers of 32 bits only.
  if (to.type === "bool" || from.type === "bool") return `${column}::int::${typeText(to, printer)}`;
  return isNumber(from.type) && isNumber(to.type) ? undefined : `${column}::${typeText(to, printer)}`;
}

/** Returns the expression for the text of a column before its change. */
export function textExpression(column: string, from: ColumnStorage | undefined, database: DialectName): string {
  if (database === "sqlite" || (from !== undefined && isText(from.type))) return column;
  return database === "mariadb" ? `cast(${column} as char)` : `${column}::text`;
}

const isNumber = (type: Kind): boolean => ["int", "float", "decimal"].includes(type);
const isText = (type: Kind): boolean => type === "text" || type === "string";

function isWidening(from: ColumnStorage | undefined, to: ColumnStorage): boolean {
  if (from === undefined) return false;
  if (to.type === "text") return isText(from.type);
  if (from.type !== to.type) return from.type === "bool" && to.type === "int";
  if (to.type === "string") return (from.length ?? 255) <= (to.length ?? 255);
  if (to.type !== "decimal" || from.precision === undefined) return true;
  const [precision, scale] = digitsOf(to);
  const [oldPrecision, oldScale] = digitsOf(from);
  return scale >= oldScale && precision - scale >= oldPrecision - oldScale;
}

const digitsOf = ({ precision = 38, scale = 10 }: ColumnStorage): readonly [number, number] => [precision, scale];

/** Returns true if the database can keep the meaning of some values. Others need a data step. */
function canConvert(from: Kind, to: Kind, database: DialectName): boolean {
  if (from === to) return true;
  if (isText(to)) return isText(from) || isNumber(from) || from === "json" || from === "uuid";
  if (isText(from)) return ["int", "float", "decimal", "uuid", "date", "json"].includes(to);
  if (isNumber(from) && isNumber(to)) return true;
  if (from === "date" || from === "timestamp") return (to === "date" || to === "timestamp") && database !== "sqlite";
  return (from === "int" && to === "bool") || (from === "bool" && to === "int");
}

const typeText = (storage: ColumnStorage, printer: SchemaDialect): string =>
  columnTypeText({ name: "", isNullable: true, ...storage }, printer);

const uuidShape = [8, 4, 4, 4, 12].map((count) => "[0-9a-f]".repeat(count)).join("-");

/** Texts that PostgreSQL can convert: it ends the query with an error for others. */
const convertibleTexts: Partial<Record<Kind, string>> = {
  int: "^-?[0-9]{1,18}$",
  float: "^-?[0-9]{1,200}([.][0-9]{1,200})?$",
  decimal: "^-?(0|[1-9][0-9]*)([.][0-9]+)?$",
  uuid: `^${uuidShape}$`,
  date: "^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
};

/** A value is lost if it is another one after the conversion and back. */
function lostOnPostgresql(
  column: string,
  from: ColumnStorage,
  to: ColumnStorage,
  printer: SchemaDialect,
): string | undefined {
  // The text of JSON may have another form. PostgreSQL refuses an invalid one.
  if (to.type === "json" || isText(to.type)) return undefined;
  const isOther = (type: string): string => `${column}::${type}::${typeText(from, printer)} is distinct from ${column}`;
  const number = `${column}::numeric`;
  const lost = {
    int: isText(from.type)
      ? isOther(typeText(to, printer))
      : `${number} <> trunc(${number}) or abs(${number}) > 9223372036854775807`,
    float:
      from.type === "int"
        ? `abs(${column}) > 9007199254740992`
        : `${column}::${typeText(to, printer)}::text::${typeText(from, printer)} is distinct from ${column}`,
    decimal: outOfDigits(number, to),
  };
  const condition = to.type in lost ? lost[to.type as keyof typeof lost] : isOther(typeText(to, printer));
  const pattern = isText(from.type) ? convertibleTexts[to.type] : undefined;
  if (pattern === undefined) return condition;
  return `case when ${column} ~ '${pattern}' then ${condition} else ${column} is not null end`;
}

/** Returns the condition for numbers with more digits than a decimal number has. */
function outOfDigits(number: string, to: ColumnStorage): string {
  const [precision, scale] = digitsOf(to);
  return `abs(${number}) >= 1e${precision - scale} or round(${number}, ${scale}) <> ${number}`;
}

function lostOnMariadb(column: string, from: ColumnStorage, to: ColumnStorage): string | undefined {
  if (isText(to.type)) return undefined;
  if (to.type === "json") return `not json_valid(${column})`;
  return `not (cast(cast(${column} as ${castType(to)}) as ${castType(from)}) <=> ${column})`;
}

function castType(storage: ColumnStorage): string {
  const [precision, scale] = digitsOf(storage);
  const types: Partial<Record<Kind, string>> = {
    int: "signed",
    float: "double",
    decimal: `decimal(${precision}, ${scale})`,
    timestamp: "datetime(3)",
    date: "date",
    uuid: "uuid",
  };
  return types[storage.type] ?? "char";
}

/** SQLite stores a value that its column cannot convert as it is. */
function lostOnSqlite(column: string, from: ColumnStorage, to: ColumnStorage): string | undefined {
  const isSameText = (type: string): string => `cast(cast(${column} as ${type}) as text) = ${column}`;
  switch (to.type) {
    case "int":
      return isText(from.type)
        ? `not (${isSameText("integer")})`
        : `cast(${column} as real) <> cast(cast(${column} as real) as integer)`;
    case "float":
      if (from.type === "int") return `abs(${column}) > 9007199254740992`;
      if (from.type === "decimal") return `length(replace(ltrim(${column}, '-0.'), '.', '')) > 15`;
      return `not (${isSameText("integer")} or ${isSameText("real")})`;
    case "decimal": {
      const digits = outOfDigits(column, to);
      return isText(from.type) ? `not (${isSameText("integer")} or ${isSameText("real")}) or ${digits}` : digits;
    }
    case "uuid":
      return `${column} not glob '${uuidShape}'`;
    case "date":
      return `date(${column}) is not ${column}`;
    case "json":
      return `not json_valid(${column})`;
    default:
      return undefined;
  }
}
