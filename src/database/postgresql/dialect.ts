import type { Dialect } from "../contract.ts";
import { formatTimestamp } from "../row/timestamp.ts";

/** SQL syntax and value encoding of PostgreSQL. */
export const postgresqlDialect: Dialect = Object.freeze({
  name: "postgresql",
  placeholder: (position) => `$${position}`,
  identifierQuote: '"',
  maxParameters: 65_535,
  encodeBool: (value) => value,
  // "timestamp with time zone" uses the offset, "timestamp" ignores it.
  encodeTimestamp: (date) => `${formatTimestamp(date)}+00`,
  // The collation "C" folds the case of A to Z only.
  likeParts: ["", ' collate "C" ilike ', " escape '!'"],
  columnTypes: {
    uuid: "uuid",
    text: 'text collate "C"',
    string: (length = 255) => `varchar(${length}) collate "C"`,
    bool: "boolean",
    int: "bigint",
    float: "double precision",
    decimal: (precision, scale) => `numeric(${precision}, ${scale})`,
    bytes: "bytea",
    timestamp: "timestamp(3) with time zone",
    date: "date",
    json: "jsonb",
  },
  hasTransactionalDdl: true,
  listTables: "select tablename from pg_tables where schemaname = current_schema() order by tablename",
} satisfies Dialect);
