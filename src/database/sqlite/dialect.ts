import type { Dialect } from "../contract.ts";
import { formatTimestamp } from "../timestamp.ts";

/** How SQLite spells what others spell differently. */
export const dialect: Dialect = Object.freeze({
  name: "sqlite",
  placeholder: () => "?",
  quote: '"',
  maxValues: 32_766,
  bool: Number,
  timestamp: formatTimestamp,
  like: ["", " like ", " escape '!'"],
  // A column's declared type decides which values SQLite converts: "text" in the name keeps digits as they were typed.
  types: {
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
  tables: "select name from sqlite_schema where type = 'table' and name not like 'sqlite!_%' escape '!' order by name",
} satisfies Dialect);
