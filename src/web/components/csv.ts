import { contentDisposition, Response, type ResponseInit } from "../../http/message/index.ts";
import { type FieldTexts, labelOf } from "../labels.ts";

/** Column of a CSV file: the name of a property, or a heading with a function. */
export type CsvColumn<T> =
  | (keyof T & string)
  | { readonly label: string; readonly value: (row: T) => CsvValue }
  | { readonly label: string; readonly name: keyof T & string };

/** Options of a CSV file. */
export interface CsvOptions {
  /** Name of the downloaded file. Default `export.csv`. */
  readonly filename?: string | undefined;
  /** Separator of the cells. Default a comma. Excel expects a semicolon where the decimal separator is a comma. */
  readonly separator?: Separator | undefined;
  /**
   * True if texts are guarded against formulas. Default true. Set it to false only for a file that programs read: a
   * spreadsheet would run the formulas of whoever wrote the texts.
   */
  readonly escapesFormulas?: boolean | undefined;
  readonly init?: ResponseInit | undefined;
  /** Labels of the columns. Default: the words of their names. */
  readonly texts?: FieldTexts | undefined;
}

/**
 * Creates a response with a CSV file (RFC 4180) to download, in UTF-8 with a byte order mark, which Excel needs.
 *
 * Rows may come from an async iterable: they are read as fast as the client takes them. Spreadsheets run a text that
 * begins with `=`, `+`, `-`, `@` or a control character as a formula. Such a text gets an apostrophe in front (OWASP, "CSV
 * Injection"); numbers do not.
 *
 * @example
 * csv(books, ["title", "pages", { label: "Author", value: (book) => book.author.name }], { filename: "books.csv" });
 */
export function csv<T extends object>(
  rows: Iterable<T> | AsyncIterable<T>,
  columns: readonly CsvColumn<T>[],
  options: CsvOptions = {},
): Response {
  const { filename = "export.csv", init, texts } = options;
  const prepared = columns.map((column) => prepareColumn(column, texts));
  return Response.stream(csvChunks(rows, prepared, options), init)
    .withHeader("content-type", "text/csv; charset=utf-8; header=present")
    .withHeader("content-disposition", contentDisposition("attachment", filename));
}

interface PreparedColumn<T> {
  readonly label: string;
  readonly value: (row: T) => CsvValue;
}

/** Yields the file in chunks of about 16 KiB, the heading first. */
async function* csvChunks<T extends object>(
  rows: Iterable<T> | AsyncIterable<T>,
  columns: readonly PreparedColumn<T>[],
  { separator = ",", escapesFormulas = true }: CsvOptions,
): AsyncGenerator<string> {
  const line = (valueOf: (column: PreparedColumn<T>) => CsvValue): string =>
    `${columns.map((column) => csvCell(valueOf(column), separator, escapesFormulas)).join(separator)}\r\n`;
  let chunk = `\ufeff${line(({ label }) => label)}`;
  for await (const batch of batches(rows)) {
    for (const row of batch) {
      chunk += line(({ value }) => value(row));
      if (chunk.length < chunkLength) continue;
      yield chunk;
      chunk = "";
    }
  }
  yield chunk;
}

const chunkLength = 16_384;

/** Yields the rows of an iterable at once, and those of an async iterable one by one. */
async function* batches<T>(rows: Iterable<T> | AsyncIterable<T>): AsyncGenerator<Iterable<T>> {
  if (Symbol.iterator in rows) yield rows;
  else for await (const row of rows) yield [row];
}

function prepareColumn<T>(column: CsvColumn<T>, texts: FieldTexts | undefined): PreparedColumn<T> {
  if (typeof column === "string") return { label: labelOf(texts, column), value: (row) => row[column] as CsvValue };
  if ("value" in column) return column;
  return { label: column.label, value: (row) => row[column.name] as CsvValue };
}

/** Value of a CSV cell. A `Date` is written in UTC, an object as JSON, `undefined` and `null` as an empty cell. */
export type CsvValue = string | number | bigint | boolean | Date | object | null | undefined;

/** Separator of the cells of a CSV file. */
type Separator = "," | ";" | "\t";

/** Formats a cell (RFC 4180 §2). Every text is quoted. */
function csvCell(value: CsvValue, separator: Separator, escapesFormulas: boolean): string {
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
