import { createHash } from "node:crypto";
import type { ColumnTypes, Dialect, DialectName } from "../contract.ts";

/** SQL text: one text, which may hold several statements, or a list of them. */
export type SqlText = string | readonly string[];

/** SQL text, or a function that makes it of the column types that behave the same on all databases. */
export type TypedSql = SqlText | ((types: ColumnTypes) => SqlText);

/** The SQL of a step: the same for all databases, or one for each. */
export type StepSql = TypedSql | Readonly<Record<DialectName, TypedSql>>;

/** One change of the tables. Once released it is never changed; a further step corrects it. */
export interface Step {
  readonly name: string;
  readonly up: StepSql;
  /** What takes the change back. */
  readonly down: StepSql | undefined;
}

/** The numbered steps of one part of the application. */
export interface Migration {
  /** What the part is called: `todos`. */
  readonly namespace: string;
  /** In the order in which they are run; the first has the number 1. */
  readonly steps: readonly Step[];
  /** The namespaces whose steps are run before, because these refer to their tables. */
  readonly after: readonly string[];
}

/** Statements of a dialect, in order. */
export function statementsOf(sql: StepSql, dialect: Dialect): readonly string[] {
  const ours = isForAll(sql) ? sql : sql[dialect.name];
  const text = typeof ours === "function" ? ours(dialect.types) : ours;
  return typeof text === "string" ? [text] : text;
}

const isForAll = (sql: StepSql): sql is TypedSql =>
  typeof sql === "string" || typeof sql === "function" || Array.isArray(sql);

/** The statements as one text. */
export function scriptOf(sql: StepSql, dialect: Dialect): string {
  return statementsOf(sql, dialect)
    .map((text) => text.trim().replace(/;$/, ""))
    .join(";\n");
}

/** Tells whether a step was changed after it was applied; how it is indented does not matter. */
export function checksum(sql: StepSql, dialect: Dialect): string {
  const text = scriptOf(sql, dialect).replace(/\s+/g, " ");
  return createHash("sha256").update(text).digest("hex");
}
