import { createHash } from "node:crypto";
import type { ColumnTypes, Dialect, DialectName } from "../database/index.ts";
import type { BatchDefinition } from "./batch-definition.ts";
import type { LintRule } from "./lint/rule.ts";

/** SQL text: one text, which may contain several statements, or a list of statements. */
export type SqlText = string | readonly string[];

/** SQL text, or a function that creates it from the column types that behave the same on all databases. */
export type TypedSql = SqlText | ((types: ColumnTypes) => SqlText);

/** SQL of a step: the same for all databases, or one per dialect. */
export type StepSql = TypedSql | Readonly<Record<DialectName, TypedSql>>;

/** Change of the database schema. Never change a released step; add a further step that corrects it. */
export interface Step {
  /** Name, unique in the namespace: the database records it. */
  readonly name: string;
  readonly up: StepSql;
  /** SQL that reverts the change. */
  readonly down: StepSql | undefined;
  /** False for a step whose statements run one by one, each on its own, outside a transaction. */
  readonly isTransactional: boolean;
  /** Work of a step that changes data in batches; `up` then only describes it. */
  readonly batches: BatchDefinition | undefined;
  /** Rules of the lint that do not apply to this step. */
  readonly allow: readonly LintRule[];
  /** Maximum time that a statement of the step waits for a lock, in milliseconds. Default: the one of the database. */
  readonly lockTimeoutMs: number | undefined;
}

/** Steps of one part of the application. */
export interface Migration {
  /** Name of the part: `todos`. */
  readonly namespace: string;
  /** Steps in the order in which they run; the first has the number 1. */
  readonly steps: readonly Step[];
  /** Namespaces whose steps must run first, because these steps refer to their tables. */
  readonly after: readonly string[];
}

/** Returns the key of a step in maps: its namespace and name. */
export const stepKey = ({ namespace, name }: { readonly namespace: string; readonly name: string }): string =>
  `${namespace} ${name}`;

/** Returns the statements of a step for a dialect, in order. */
export function statementsOf(sql: StepSql, dialect: Dialect): readonly string[] {
  const dialectSql = isForAllDialects(sql) ? sql : sql[dialect.name];
  const text = typeof dialectSql === "function" ? dialectSql(dialect.columnTypes) : dialectSql;
  return typeof text === "string" ? [text] : text;
}

const isForAllDialects = (sql: StepSql): sql is TypedSql =>
  typeof sql === "string" || typeof sql === "function" || Array.isArray(sql);

const trimmedStatements = (sql: StepSql, dialect: Dialect): readonly string[] =>
  statementsOf(sql, dialect).map((text) => text.trim().replace(/;$/, ""));

/** Returns the statements of a step for a dialect as one text. */
export function scriptOf(sql: StepSql, dialect: Dialect): string {
  // A comment at the end of a statement must not contain the semicolon.
  const texts = trimmedStatements(sql, dialect).map((text) => (/(?:--|#)[^\n]*$/.test(text) ? `${text}\n` : text));
  return texts.join(";\n");
}

/**
 * Returns a checksum that detects changes of an applied step. It ignores changes of white space, and how this version spells
 * the column types. It covers the SQL for this database only, and neither `down` nor the code of a step in batches.
 */
export function checksum(sql: StepSql, dialect: Dialect): string {
  return `2:${digest(sql, { ...dialect, columnTypes: typeNames }).slice(0, 62)}`;
}

/** Returns true if a recorded checksum is the one of this SQL, or was the one in an older version. */
export function hasChecksum(recorded: string, sql: StepSql, dialect: Dialect): boolean {
  return recorded === (isOldChecksum(recorded) ? digest(sql, dialect) : checksum(sql, dialect));
}

/** Returns true for a checksum that an older version has recorded. It covers the spelling of the column types. */
export const isOldChecksum = (recorded: string): boolean => !recorded.startsWith("2:");

function digest(sql: StepSql, dialect: Dialect): string {
  const text = trimmedStatements(sql, dialect).join(";\n").replace(/\s+/g, " ");
  return createHash("sha256").update(text).digest("hex");
}

/** Column types by their names, which stay the same in all versions. */
const typeNames: ColumnTypes = {
  uuid: "<uuid>",
  text: "<text>",
  string: (length) => `<string ${length ?? ""}>`,
  bool: "<bool>",
  int: "<int>",
  float: "<float>",
  decimal: (precision, scale) => `<decimal ${precision} ${scale}>`,
  bytes: "<bytes>",
  timestamp: "<timestamp>",
  date: "<date>",
  json: "<json>",
};
