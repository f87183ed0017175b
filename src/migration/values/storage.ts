import type { ColumnStorage, Dialect } from "../../database/index.ts";
import { hasSameType } from "../schema/type-names.ts";

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
