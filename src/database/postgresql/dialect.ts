import type { Dialect } from "../contract.ts";
import { formatTimestamp } from "../timestamp.ts";

/** How PostgreSQL spells what others spell differently. */
export const dialect: Dialect = Object.freeze({
  name: "postgresql",
  placeholder: (position) => `$${position}`,
  quote: '"',
  maxValues: 65_535,
  bool: (value) => value,
  // The offset decides for "timestamp with time zone" and is ignored by "timestamp".
  timestamp: (date) => `${formatTimestamp(date)}+00`,
  // Under the collation "C" only the letters A to Z have another case.
  like: ["", ' collate "C" ilike ', " escape '!'"],
  types: {
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
  tables: "select tablename from pg_tables where schemaname = current_schema() order by tablename",
} satisfies Dialect);
