import type { Dialect } from "../contract.ts";
import { formatTimestamp } from "../timestamp.ts";

const text = "character set utf8mb4 collate utf8mb4_nopad_bin";

// No collation ignores the case of ASCII letters and nothing else. But UTF-8 can be compared byte by byte, and in the
// character set geostd8 each byte is a letter, of which only a to z have capitals.
const foldStart = "convert(convert(convert(";
const foldEnd = " using utf8mb4) using binary) using geostd8) collate geostd8_general_nopad_ci";

/** How MariaDB spells what others spell differently. */
export const dialect: Dialect = Object.freeze({
  name: "mariadb",
  placeholder: () => "?",
  quote: "`",
  maxValues: 65_535,
  bool: Number,
  timestamp: formatTimestamp,
  like: [foldStart, `${foldEnd} like ${foldStart}`, `${foldEnd} escape '!'`],
  types: {
    uuid: "uuid",
    text: `longtext ${text}`,
    string: (length = 255) => `varchar(${length}) ${text}`,
    bool: "boolean",
    int: "bigint",
    float: "double",
    decimal: (precision, scale) => `decimal(${precision}, ${scale})`,
    bytes: "longblob",
    timestamp: "datetime(3)",
    date: "date",
    json: "json",
  },
  hasTransactionalDdl: false,
  tables:
    "select table_name from information_schema.tables where table_schema = database() and table_type = 'BASE TABLE' order by binary table_name",
} satisfies Dialect);
