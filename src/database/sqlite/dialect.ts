import type { Dialect } from "../contract.ts";
import { formatTimestamp } from "../row/timestamp.ts";

/** SQL syntax and value encoding of SQLite. */
export const sqliteDialect: Dialect = Object.freeze({
  name: "sqlite",
  placeholder: () => "?",
  identifierQuote: '"',
  maxParameters: 32_766,
  encodeBool: Number,
  encodeTimestamp: formatTimestamp,
  likeParts: ["", " like ", " escape '!'"],
  // The declared type determines the column affinity: a name that contains "text" keeps digits unchanged.
  columnTypes: {
    uuid: "uuid_text",
    text: "text",
    string: (length = 255) => `varchar(${length})`,
    bool: "boolean",
    int: "integer",
    float: "real",
    decimal: () => "decimal_text",
    bytes: "blob",
    timestamp: "timestamp_text",
    date: "date_text",
    json: "json_text",
  },
  hasTransactionalDdl: true,
  listTables:
    "select name from sqlite_schema where type = 'table' and name not like 'sqlite!_%' escape '!' order by name",
} satisfies Dialect);
