import type { ColumnStorage, Dialect, DialectName } from "../../database/index.ts";

/** Returns true if the database spells a type of a migration as `live`. */
export function hasSameType(live: string, declared: string, dialect: DialectName): boolean {
  return normalize[dialect](live) === normalize[dialect](declared);
}

const normalize: Readonly<Record<DialectName, (type: string) => string>> = {
  // SQLite keeps the declared text.
  sqlite: (type) => oneSpaced(type),
  postgresql: (type) =>
    oneSpaced(type.replace(/^varchar\b/, "character varying").replace(/numeric\((\d+), /, "numeric($1,")),
  mariadb: (type) => {
    const name = oneSpaced(type)
      .replaceAll(" (", "(")
      .replaceAll(", ", ",")
      .replace(/ character set \w+/, "");
    const plain = name.replace(/^(bigint|int)\(\d+\)/, "$1");
    return mariadbNames[plain] ?? plain;
  },
};

const mariadbNames: Readonly<Record<string, string>> = {
  boolean: "tinyint(1)",
  integer: "int",
  json: "longtext collate utf8mb4_bin",
};

const oneSpaced = (type: string): string => type.replace(/\s+/g, " ").trim().toLowerCase();

const plainTypes = ["uuid", "text", "bool", "int", "float", "bytes", "timestamp", "date", "json"] as const;

/** Returns the column type that a database spells as `type`, or `undefined` for one that limmat does not create. */
export function storageOf(type: string, { name, columnTypes }: Dialect): ColumnStorage | undefined {
  const plain = plainTypes.find((key) => hasSameType(type, columnTypes[key], name));
  if (plain !== undefined) return { type: plain };
  const string = /^(?:character varying|varchar)\s*\((\d+)\)/i.exec(type);
  if (string !== null) return { type: "string", length: Number(string[1]) };
  const decimal = /^(?:numeric|decimal)\s*\((\d+),\s*(\d+)\)/i.exec(type);
  if (decimal !== null) return { type: "decimal", precision: Number(decimal[1]), scale: Number(decimal[2]) };
  return type === "decimal_text" ? { type: "decimal" } : undefined;
}
