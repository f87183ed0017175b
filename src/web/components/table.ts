import { html, type Html, type HtmlValue } from "../../html/index.ts";
import { LanguageInternals } from "../../language/index.ts";
import { choiceLabelOf, type FieldTexts, labelOf } from "../labels.ts";
import { ownValue } from "../names.ts";
import { hasValue, renderValue } from "./values.ts";
import * as Query from "../query/query.ts";

/** Value of a cell. A `Date` is shown in the time zone of the context, otherwise in UTC, a boolean as a word. */
export type CellValue = HtmlValue | Date | object;

/** Column of a table. */
export interface ColumnDefinition<T> {
  /** Property that the column shows, unless it has a `value`. */
  readonly name?: (keyof T & string) | undefined;
  /** Returns the value of a cell. */
  readonly value?: ((item: T) => CellValue) | undefined;
  /** Formats a text of the column, such as with `humanize`. */
  readonly format?: ((text: string) => CellValue) | undefined;
  /** Heading. Default: that of `texts`, otherwise the words of the name. */
  readonly label?: string | undefined;
  /** Name of the column in the query, if the table can be sorted by it. Default: not sortable. */
  readonly sort?: string | undefined;
  /** True if numbers are aligned at their end. Default: true if the first value of the column is a number. */
  readonly isNumeric?: boolean | undefined;
}

/** Column of a table: the name of a property, or a definition. */
export type Column<T> = (keyof T & string) | ColumnDefinition<T>;

/** Order of a sortable table. `sortLinks` makes it from a query. */
export interface TableSort {
  /** Returns the direction of the column that the items are sorted by first; `undefined` for the others. */
  readonly directionOf: (column: string) => "asc" | "desc" | undefined;
  /** Returns the URL of the list sorted by a column, in the other direction if it is sorted by it already. */
  readonly href: (column: string) => string;
}

/** Checkboxes that select rows for `bulkActions`. */
export interface TableSelection<T> {
  /** Returns the value of the checkbox: the id of the item. */
  readonly value: (item: T) => string;
  /** Returns the name of the item for screen readers. */
  readonly label: (item: T) => string;
  /** Name of the checkboxes. Default `ids`. */
  readonly name?: string | undefined;
  /** Id of the form: that of `bulkActions`, default `bulk`. */
  readonly form?: string | undefined;
}

/** Options of a table. */
export interface TableOptions<T> {
  /** Name of the table for screen readers. */
  readonly caption: string;
  readonly columns: readonly Column<T>[];
  /** Returns the URL that the first cell of a row links to. */
  readonly rowLink?: ((item: T) => string) | undefined;
  /** Returns the buttons at the end of a row. */
  readonly actions?: ((item: T) => HtmlValue) | undefined;
  readonly sort?: TableSort | undefined;
  readonly select?: TableSelection<T> | undefined;
  /** Content instead of a table without rows. Default: a table without rows. */
  readonly empty?: HtmlValue;
  /** Labels of the columns and of their values. Default: the words of their names, and the values themselves. */
  readonly texts?: FieldTexts | undefined;
}

interface PreparedColumn<T> {
  readonly label: string;
  readonly value: (item: T) => CellValue;
  readonly sort: string | undefined;
  readonly className: string | undefined;
}

/**
 * Renders a list of items as a table. On a phone, the style sheet shows each row as a card with all columns, labelled by
 * `data-label`. The first cell is the heading of its row.
 *
 * @example
 * table(books, { caption: "Books", columns: ["title", "pages", { label: "Added", value: (book) => book.created_at }] });
 */
export function table<T extends object>(items: readonly T[], options: TableOptions<T>): Html {
  const { caption, sort, select, actions, rowLink, empty, texts } = options;
  if (items.length === 0 && empty !== undefined) return html`${empty}`;
  const words = LanguageInternals.frameworkTexts().components;
  const columns = options.columns.map((column) => prepareColumn(column, items, texts));
  return html` <table class="list">
    <caption class="visually-hidden">
      ${caption}
    </caption>
    <thead>
      <tr>
        ${select && html`<th scope="col" class="select"><span class="visually-hidden">${words.select}</span></th>`}
        ${columns.map((column) => renderHead(column, sort))}
        ${actions && html`<th scope="col"><span class="visually-hidden">${words.actions}</span></th>`}
      </tr>
    </thead>
    <tbody>
      ${items.map(
        (item) =>
          html`<tr>
            ${select && renderSelection(item, select)}
            ${columns.map((column, index) => renderCell(item, column, index === 0, rowLink))}
            ${actions && html`<td class="actions"><div class="row">${actions(item)}</div></td>`}
          </tr>`,
      )}
    </tbody>
  </table>`;
}

function prepareColumn<T extends object>(
  column: Column<T>,
  items: readonly T[],
  texts: FieldTexts | undefined,
): PreparedColumn<T> {
  const definition: ColumnDefinition<T> = typeof column === "string" ? { name: column } : column;
  const { name, label, sort } = definition;
  const value = (item: T): CellValue => valueOf(definition, item, texts);
  const firstType = (): string => typeof items.values().map(value).find(hasValue);
  const isNumeric = definition.isNumeric ?? ["number", "bigint"].includes(firstType());
  return {
    label: label ?? labelOf(texts, name ?? sort ?? ""),
    value,
    sort,
    className: isNumeric ? "number" : undefined,
  };
}

/** Renders the label and the value of a field, unless the policy of the resource has removed the field, which differs from an empty one. */
export function renderFact<T extends object>(
  column: ColumnDefinition<T>,
  item: T,
  texts: FieldTexts,
): Html | undefined {
  const { name, value, label } = column;
  if (name !== undefined && value === undefined && !(name in item)) return undefined;
  return html`<div>
    <dt>${label ?? ""}</dt>
    <dd>${renderValue(valueOf(column, item, texts))}</dd>
  </div>`;
}

/** Returns the formatted value of a column. */
function valueOf<T>({ name, value, format }: ColumnDefinition<T>, item: T, texts: FieldTexts | undefined): CellValue {
  const found: unknown = value === undefined ? name && item[name] : value(item);
  const isText = typeof found === "string" && found !== "";
  if (isText && format !== undefined) return format(found);
  if (name === undefined || value !== undefined || ownValue(texts?.choices, name) === undefined) {
    return found as CellValue;
  }
  const labelled = (text: unknown): unknown => (typeof text === "string" ? choiceLabelOf(texts, name, text) : text);
  return Array.isArray(found)
    ? found.map(labelled).join(", ")
    : isText
      ? choiceLabelOf(texts, name, found)
      : (found as CellValue);
}

function renderHead<T>({ label, sort: column, className }: PreparedColumn<T>, sort: TableSort | undefined): Html {
  if (column === undefined || sort === undefined) return html`<th scope="col" ?class=${className}>${label}</th>`;
  const direction = sort.directionOf(column);
  const ariaSort = direction && (direction === "asc" ? "ascending" : "descending");
  return html`<th scope="col" ?class=${className} ?aria-sort=${ariaSort}>
    <a href="${sort.href(column)}">${label}</a>
  </th>`;
}

function renderCell<T>(
  item: T,
  { label, value, className }: PreparedColumn<T>,
  isFirst: boolean,
  rowLink: ((item: T) => string) | undefined,
): Html {
  const content = renderValue(value(item));
  if (!isFirst) return html`<td data-label="${label}" ?class=${className}>${content}</td>`;
  return html`<th scope="row">
    ${rowLink === undefined ? content : html`<a href="${rowLink(item)}">${content}</a>`}
  </th>`;
}

function renderSelection<T>(item: T, { value, label, name = "ids", form = "bulk" }: TableSelection<T>): Html {
  const { selectItem } = LanguageInternals.frameworkTexts().components;
  return html`<td class="select">
    <input
      type="checkbox"
      form="${form}"
      name="${name}"
      value="${value(item)}"
      aria-label="${selectItem(label(item))}"
    />
  </td>`;
}

/** Options of `sortLinks`. */
export interface SortLinksOptions {
  /**
   * Columns that the list may be sorted by, as its resource has them. The first one is marked as the default order,
   * descending unless the query says `asc`. Default: no default order is marked.
   */
  readonly sortBy?: readonly string[] | undefined;
}

/**
 * Makes the option `sort` of a table from the query of a list. The links keep the filters, lead to the first page, and
 * reverse the order of the column that the list is sorted by. The list must allow the columns in `sortBy`.
 *
 * @example
 * table(books, { caption: "Books", columns: [{ name: "title", sort: "title" }], sort: sortLinks(query, path) });
 */
export function sortLinks(query: Query.Query, path: string, { sortBy }: SortLinksOptions = {}): TableSort {
  const sorted = withDefaultSort(query, sortBy?.[0]);
  const [first] = sorted.sortBy ?? [];
  return {
    // One column has `aria-sort`, although others may decide between equal values (WAI-ARIA 1.2 §6.6).
    directionOf: (column) =>
      first === column || first === `-${column}` ? Query.sortDirection(sorted, column) : undefined,
    href: (column) => path + Query.toQueryString(Query.nextSort(sorted, column)),
  };
}

/** Writes out the default order of a list. A full-text search has another one: relevance. */
function withDefaultSort(query: Query.Query, column: string | undefined): Query.Query {
  if (column === undefined || query.sortBy !== undefined || query.text !== undefined) return query;
  return { ...query, sortBy: [query.sort === "asc" ? column : `-${column}`] };
}
