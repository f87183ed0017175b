import { createHash } from "node:crypto";
import type { ColumnTypes, Dialect, DialectName, Handle, SqlPart } from "../database/index.ts";
import type { LintRule } from "./lint/rules.ts";

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
  /** Stack of the declaration, under the development server only: errors name its line. */
  readonly declaration?: Error;
}

/** One batch of a data step. */
export interface BatchContext {
  /** Transaction of the batch. */
  readonly handle: Handle;
  /** Condition that selects the rows of this batch: `key > … and key <= …`. */
  readonly range: SqlPart;
  /** Keys of the rows of this batch, in order. */
  readonly keys: readonly BatchKey[];
}

/** Value of the key of a data step. */
export type BatchKey = string | number | bigint;

/** Work of a data step. */
export interface BatchDefinition {
  /** Table whose rows are visited. */
  readonly table: string;
  /** Column that orders the rows: unique, indexed, never null, a text, integer or UUID. Default `id`. */
  readonly key?: string;
  /** Condition that restricts the rows: `` sql`slug is null` ``. Default: all rows. */
  readonly where?: SqlPart;
  /** Changes the rows of one batch. Runs again, from its beginning, after a deadlock or a lock timeout. */
  readonly run: (context: BatchContext) => Promise<unknown>;
  /** Number of rows of the first batch. Default 500. */
  readonly batchSize?: number;
  /** Maximum number of rows of a batch. Default 10,000. */
  readonly maxBatchSize?: number;
  /** Duration of a batch, in milliseconds, that the number of rows is adapted to. It bounds the time of locks. Default 250. */
  readonly batchMs?: number;
  /** Pause between two batches, in milliseconds, so that replicas can follow. Default 0. */
  readonly pauseMs?: number;
}

/** Progress of a data step, in rows. */
export interface BatchProgress {
  readonly done: number;
  /** Number of all rows, or `undefined` if counting them would take long. */
  readonly total: number | undefined;
}

/** Progress and position of a data step, as the state table stores it. */
export interface BatchState extends BatchProgress {
  readonly position: BatchKey | undefined;
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

/**
 * State of a step. `applied`; `pending`: not run yet; `half-done`: started and not finished; `started`: a step in batches
 * that goes on at the next run; `changed`: applied, but its SQL differs now; `moved`: applied, but in another order; `unknown`:
 * applied, but this application does not define it.
 */
export type StepState = "applied" | "pending" | "half-done" | "started" | "changed" | "moved" | "unknown";

/** Identity and position of a step. */
export interface StepId {
  readonly namespace: string;
  /** Position in the list of steps. */
  readonly number: number;
  readonly name: string;
}

/** Step with its state. */
export interface StepStatus extends StepId {
  readonly state: StepState;
  readonly applied_at: Date | null;
  readonly duration_ms: number | null;
  /** Rows of a started step in batches. */
  readonly progress?: BatchProgress;
}

/** Step with its namespace and its position in the list of steps. */
export interface NumberedStep extends StepId {
  readonly step: Step;
}

/** Returns all steps of migrations, in order. */
export function numberSteps(migrations: readonly Migration[]): readonly NumberedStep[] {
  return migrations.flatMap(({ namespace, steps }) =>
    steps.map((step, index) => ({ namespace, number: index + 1, name: step.name, step })),
  );
}

/** Returns the label of a step in messages. */
export const stepLabel = ({ namespace, number, name }: StepId): string => `${namespace} ${number} "${name}"`;

/** Returns true if a step must run before the application can use its tables. */
export const isPending = ({ state }: StepStatus): boolean =>
  state === "pending" || state === "half-done" || state === "started";

/** Returns the key of a step in maps: its namespace and name. */
export const stepKey = ({ namespace, name }: Omit<StepId, "number">): string => `${namespace} ${name}`;

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
const typeNames = namedTypes((name, ...sizes) => `<${[name, ...sizes].join(" ")}>`);

/** Returns column types as texts of their names, with the length of a string, or the digits of a decimal. */
export function namedTypes(print: (name: string, ...sizes: readonly (number | undefined)[]) => string): ColumnTypes {
  return {
    uuid: print("uuid"),
    text: print("text"),
    string: (length) => print("string", length),
    bool: print("bool"),
    int: print("int"),
    float: print("float"),
    decimal: (precision, scale) => print("decimal", precision, scale),
    bytes: print("bytes"),
    timestamp: print("timestamp"),
    date: print("date"),
    json: print("json"),
  };
}
