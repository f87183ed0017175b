import { createHash } from "node:crypto";
import type { ColumnTypes, Dialect, DialectName } from "../contract.ts";

/** SQL text: one text, which may hold several statements, or a list of them. */
export type SqlText = string | readonly string[];

/**
 * The SQL of a step: the same for all databases; a function of the column types that behave the same on all; or one
 * text per database.
 */
export type StepSql = SqlText | ((types: ColumnTypes) => SqlText) | Readonly<Record<DialectName, SqlText>>;

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
  const text = typeof sql === "function" ? sql(dialect.types) : isText(sql) ? sql : sql[dialect.name];
  return typeof text === "string" ? [text] : text;
}

const isText = (sql: SqlText | Readonly<Record<DialectName, SqlText>>): sql is SqlText =>
  typeof sql === "string" || Array.isArray(sql);

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
