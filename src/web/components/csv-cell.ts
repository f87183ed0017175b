/** Value of a CSV cell. A `Date` is written in UTC, an object as JSON, `undefined` and `null` as an empty cell. */
export type CsvValue = string | number | bigint | boolean | Date | object | null | undefined;

/** Separator of the cells of a CSV file. */
export type Separator = "," | ";" | "\t";

/** Formats a cell (RFC 4180 §2). Every text is quoted. */
export function csvCell(value: CsvValue, separator: Separator, escapesFormulas: boolean): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : "";
  if (typeof value === "bigint" || typeof value === "boolean") return String(value);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "" : value.toISOString();
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return `"${(escapesFormulas ? escapeFormulas(text, separator) : text).replaceAll('"', '""')}"`;
}

// The full-width forms count as the ASCII characters in spreadsheets with Japanese settings.
const formulaStart = /^[\s\p{C}"]*[=+\-@＝＋－＠]|^\p{Cc}/u;

/** Start of a cell or line for a spreadsheet that expects another separator: German ones expect a semicolon. */
const innerFormulaStarts: Readonly<Record<Separator, RegExp>> = {
  ",": /([;\t\r\n])(?=[\p{Z}\p{Cf}"]*[=+\-@＝＋－＠])/gu,
  ";": /([,\t\r\n])(?=[\p{Z}\p{Cf}"]*[=+\-@＝＋－＠])/gu,
  "\t": /([,;\r\n])(?=[\p{Z}\p{Cf}"]*[=+\-@＝＋－＠])/gu,
};

/** Puts an apostrophe in front of whatever a spreadsheet could take for a formula (OWASP, "CSV Injection"). */
function escapeFormulas(text: string, separator: Separator): string {
  const escaped = text.replace(innerFormulaStarts[separator], "$1'");
  return formulaStart.test(escaped) ? `'${escaped}` : escaped;
}
