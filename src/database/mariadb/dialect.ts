import type { Dialect } from "../contract.ts";
import { formatTimestamp } from "../row/timestamp.ts";

const textCharset = "character set utf8mb4 collate utf8mb4_nopad_bin";

// No collation of utf8mb4 ignores ASCII case only. Reinterpreting the UTF-8 bytes as geostd8 does: in that character
// set each byte is a letter, and only a to z have capitals.
const foldStart = "convert(convert(convert(";
const foldEnd = " using utf8mb4) using binary) using geostd8) collate geostd8_general_nopad_ci";

/** SQL syntax and value encoding of MariaDB. */
export const mariadbDialect: Dialect = Object.freeze({
  name: "mariadb",
  placeholder: () => "?",
  identifierQuote: "`",
  maxParameters: 65_535,
  encodeBool: Number,
  encodeTimestamp: formatTimestamp,
  likeParts: [foldStart, `${foldEnd} like ${foldStart}`, `${foldEnd} escape '!'`],
  columnTypes: {
    uuid: "uuid",
    text: `longtext ${textCharset}`,
    string: (length = 255) => `varchar(${length}) ${textCharset}`,
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
  listTables:
    "select table_name from information_schema.tables where table_schema = database() and table_type = 'BASE TABLE' order by binary table_name",
} satisfies Dialect);
