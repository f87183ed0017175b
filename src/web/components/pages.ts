import { html, type Html, type HtmlValue } from "../../html/index.ts";
import type { Request } from "../../http/index.ts";
import { Form, type Schema } from "../../schema/index.ts";
import type { Action } from "../rest/contract.ts";
import { itemPath, listPath } from "../rest/paths.ts";
import * as Query from "../query/query.ts";
import { formFilters } from "../query/query-filters.ts";
import { emptyState } from "./empty-state.ts";
import { filters, type FiltersOptions } from "./filters.ts";
import { deleteButton, type FormFields, formOf, type FormOfOptions } from "./form.ts";
import { capitalize, humanize } from "../names.ts";
import { pager } from "./pager.ts";
import {
  type Column,
  type ColumnDefinition,
  renderValue,
  sortLinks,
  table,
  type TableSelection,
  valueOf,
} from "./table.ts";
import { type TextOptions, type Texts, textsOf } from "./texts.ts";

/** Item that has pages: a row with an id, and a version if changes are checked. */
export interface PageItem {
  readonly id: string;
  readonly version?: number | undefined;
}

/** Components that the pages of a resource consist of. */
export interface PageComponents {
  readonly deleteButton: typeof deleteButton;
  readonly emptyState: typeof emptyState;
  readonly filters: typeof filters;
  readonly formOf: typeof formOf;
  readonly pager: typeof pager;
  readonly sortLinks: typeof sortLinks;
  readonly table: typeof table;
}

const ownComponents: PageComponents = { deleteButton, emptyState, filters, formOf, pager, sortLinks, table };

/** Description that all pages of a resource share. */
export interface ResourcePages<T extends PageItem, Input> extends TextOptions {
  /** Words for one item, in lower case: `blog post`. */
  readonly one: string;
  /** Words for several items, in lower case: `blog posts`. */
  readonly many: string;
  /** Returns the name of an item: its heading, and its link in the list. */
  readonly labelOf: (item: T) => string;
  /** Schema of the forms. It also says how columns and facts show their values. */
  readonly schema: Schema.RecordSchema<Input>;
  /** Renders a page with its title. */
  readonly layout: (request: Request, title: string, content: Html) => Html | Promise<Html>;
  /** Components that replace those of `limmat/components`: the module `web/view/components.ts` of a project. */
  readonly components?: Partial<PageComponents> | undefined;
  /** Actions of the resource, as it has them: others have no link or button. Default: all. */
  readonly only?: readonly Action[] | undefined;
  /** Filters that the list allows, as its resource has them. */
  readonly filterBy?: Query.FilterTypes | undefined;
  /** Columns that the list may be sorted by, as its resource has them. */
  readonly sortBy?: readonly string[] | undefined;
  /** True if the list has a full-text search, as its resource says. Default false. */
  readonly text?: boolean | undefined;
  /** Returns the ids of those items that the visitor may change: the others have no buttons. Default: all items. */
  readonly changeableIds?:
    | ((request: Request, items: readonly T[]) => ReadonlySet<string> | Promise<ReadonlySet<string>>)
    | undefined;
}

type AnyParams = Readonly<Record<string, string>>;

/** Part of a page, or a function of the request that makes it. */
export type PagePart<Value, Params extends AnyParams> = Value | ((request: Request<Params>) => Value | Promise<Value>);

/** Returns content for a list. */
export type ListContent<Params extends AnyParams> = (
  request: Request<Params>,
  csrf: string,
  query: Query.Query,
) => HtmlValue | Promise<HtmlValue>;

/** Parts of a list. Each of them can be replaced. */
export interface ListPageOptions<T extends PageItem, Params extends AnyParams> extends Pick<
  FiltersOptions,
  "search" | "hasOrder" | "pageSizes"
> {
  /** Columns of the table. A column with the name of a sortable column can be sorted by. Default: none, as with `card`. */
  readonly columns?: PagePart<readonly Column<T>[], Params>;
  /** Returns the content of the card of an item. Default: the list is a table. */
  readonly card?: ((item: T, request: Request<Params>) => HtmlValue) | undefined;
  /** Checkboxes that select rows for `bulkActions`, which `before` can render. */
  readonly select?: TableSelection<T> | undefined;
  /** Labels and choices of the filters. */
  readonly filters?: PagePart<FiltersOptions["filters"], Params>;
  /** Returns the buttons of a row. Default: Edit and Delete. */
  readonly actions?: ((item: T, request: Request<Params>, csrf: string, query: Query.Query) => HtmlValue) | undefined;
  /** Heading of the page. Default: the words for several items, and the link to the form of a new one. */
  readonly heading?: ListContent<Params> | undefined;
  /** Content before the heading, such as a link to the parent. */
  readonly before?: ListContent<Params> | undefined;
  /** Content after the list. */
  readonly after?: ListContent<Params> | undefined;
  /** Content instead of a table without rows. Default: that there are no items, or that none was found. */
  readonly empty?: ListContent<Params> | undefined;
}

/** Parts of the page of an item. */
export interface ItemPageOptions<T extends PageItem, Params extends AnyParams> {
  /** Values of the item, as a list of columns has them. */
  readonly facts: PagePart<readonly Column<T>[], Params>;
  /** Labels of links to pages below the item, by their path: `{ comments: "Comments" }`. */
  readonly links?: Readonly<Record<string, string>> | undefined;
  /** Content after the facts. */
  readonly after?: ((request: Request<Params>, item: T) => HtmlValue | Promise<HtmlValue>) | undefined;
}

type OwnFormOptions = "csrf" | "action" | "method" | "version" | "submit" | "cancel" | "fields" | "texts";

/** Options of the form of a new item. Those of `formOf` are allowed. */
export interface NewPageOptions<Input, Params extends AnyParams> extends Omit<FormOfOptions<Input>, OwnFormOptions> {
  readonly fields?: PagePart<FormFields<Input>, Params>;
}

/** Options of the form of an existing item. Those of `formOf` are allowed. The default `method` is `put`. */
export interface EditPageOptions<T, Input, Params extends AnyParams> extends Omit<
  FormOfOptions<Input>,
  Exclude<OwnFormOptions, "method">
> {
  readonly fields?:
    | FormFields<Input>
    | ((request: Request<Params>, item: T) => FormFields<Input> | Promise<FormFields<Input>>)
    | undefined;
}

/**
 * Makes the page `index` of a resource: heading, filters, table and pager.
 *
 * @example
 * export const index = listPage(book, { columns: ["title", "pages", "created_at"] });
 */
export function listPage<T extends PageItem, Input, Params extends AnyParams = AnyParams>(
  pages: ResourcePages<T, Input>,
  options: ListPageOptions<T, Params>,
): (
  request: Request<Params>,
  csrf: string,
  page: readonly [items: readonly T[], total: number | undefined],
  query: Query.Query,
  cursors?: Query.Cursors,
) => Promise<Html> {
  const { one, many, layout, sortBy, text } = pages;
  const filterBy = formFilters(pages.filterBy, pages.schema);
  const { search, hasOrder, pageSizes, card } = options;
  const texts = textsOf(pages);
  const components = { ...ownComponents, ...pages.components };
  const title = capitalize(many);
  const columnsOf = prepareColumns(options.columns ?? [], pages);
  const { actions = editAndDelete(pages, components) } = options;
  return async (request, csrf, [items, total], query, cursors) => {
    const path = listPath(request);
    const content = (make: ListContent<Params> | undefined): HtmlValue | Promise<HtmlValue> =>
      make?.(request, csrf, query);
    const changeable = await pages.changeableIds?.(request, items);
    const canChange = (item: T): boolean => changeable === undefined || changeable.has(item.id);
    const empty =
      (await content(options.empty)) ?? noItems(components, many, path, total === 0 && !Query.isFiltered(query), texts);
    const buttons = (item: T): HtmlValue => canChange(item) && actions?.(item, request, csrf, query);
    const toCard = (item: T): Html =>
      html`<article class="card">
        ${card?.(item, request)} ${actions && html`<div class="row">${buttons(item)}</div>`}
      </article>`;
    const columns = await columnsOf(request);
    const renderTable = (): Html =>
      components.table(items, {
        caption: title,
        columns,
        sort: components.sortLinks(query, path, { sortBy }),
        rowLink: hasAction(pages, "show") ? (item) => itemPath(request, item.id) : undefined,
        select: options.select,
        actions: actions && buttons,
        empty,
        texts,
      });
    const list =
      card === undefined || items.length === 0
        ? html`<div class="card">${renderTable()}</div>`
        : html`<div class="grid">${items.map(toCard)}</div>`;
    const shownFilters = await partOf(options.filters, request);
    const filterOptions = { path, filterBy, sortBy, text, filters: shownFilters, search, hasOrder, pageSizes, texts };
    return layout(
      request,
      title,
      html`${await content(options.before)}
      ${(await content(options.heading)) ?? listHeading(title, hasAction(pages, "new") && html`<a class="button" href="${path}/new">${texts.newItem(one)}</a>`)}
      ${components.filters(query, filterOptions)} ${list}
      ${components.pager(query, { path, count: items.length, total, cursors, texts })} ${await content(options.after)}`,
    );
  };
}

/**
 * Makes the page `show` of a resource: the facts of an item, and links.
 *
 * @example
 * export const show = itemPage(book, { facts: ["title", "pages", "created_at"], links: { reviews: "Reviews" } });
 */
export function itemPage<T extends PageItem, Input, Params extends AnyParams = AnyParams>(
  pages: ResourcePages<T, Input>,
  { facts, links = {}, after }: ItemPageOptions<T, Params>,
): (request: Request<Params>, item: T) => Promise<Html> {
  const { labelOf, layout } = pages;
  const texts = textsOf(pages);
  const columnsOf = prepareColumns(facts, pages);
  return async (request, item) => {
    const path = itemPath(request, item.id);
    const changeable = await pages.changeableIds?.(request, [item]);
    const label = labelOf(item);
    const columns = await columnsOf(request);
    return layout(
      request,
      label,
      html`<article class="card">
          <h1>${label}</h1>
          <dl class="facts">${columns.map((column) => renderFact(column, item, texts))}</dl>
        </article>
        ${await after?.(request, item)}
        <p class="row">
          ${hasAction(pages, "edit") && (changeable === undefined || changeable.has(item.id)) && html`<a class="button" href="${path}/edit">${texts.edit}</a>`}
          ${Object.entries(links).map(([to, text]) => html`<a class="button secondary" href="${path}/${to}">${text}</a>`)}
          <a href="${listPath(request)}">${texts.backToList}</a>
        </p>`,
    );
  };
}

/** Makes the page `new` of a resource: the form of a new item. */
export function newPage<T extends PageItem, Input, Params extends AnyParams = AnyParams>(
  pages: ResourcePages<T, Input>,
  options: NewPageOptions<Input, Params> = {},
): (request: Request<Params>, csrf: string, form: Form) => Promise<Html> {
  const { one, schema, layout } = pages;
  const texts = textsOf(pages);
  const title = texts.newItem(one);
  const components = { ...ownComponents, ...pages.components };
  return async (request, csrf, form) => {
    const path = listPath(request);
    const fields = await partOf(options.fields, request);
    const formOptions = { ...options, csrf, action: path, submit: texts.add, cancel: path, fields, texts };
    return layout(
      request,
      title,
      html`<h1>${title}</h1>
        ${components.formOf(schema, form, formOptions)}`,
    );
  };
}

/** Makes the page `edit` of a resource: the form of an existing item. */
export function editPage<T extends PageItem, Input, Params extends AnyParams = AnyParams>(
  pages: ResourcePages<T, Input>,
  options: EditPageOptions<T, Input, Params> = {},
): (request: Request<Params>, csrf: string, form: Form, item: T) => Promise<Html> {
  const { one, schema, labelOf, layout } = pages;
  const texts = textsOf(pages);
  const components = { ...ownComponents, ...pages.components };
  return async (request, csrf, form, item) => {
    const path = itemPath(request, item.id);
    const fields = typeof options.fields === "function" ? await options.fields(request, item) : options.fields;
    const formOptions = {
      method: "put",
      ...options,
      csrf,
      action: path,
      version: item.version,
      submit: texts.save,
      cancel: path,
      fields,
      texts,
    } as const;
    return layout(
      request,
      texts.editItem(labelOf(item)),
      html`<h1>${texts.editItem(one)}</h1>
        ${components.formOf(schema, form, formOptions)}`,
    );
  };
}

/**
 * Returns choices of a control or of a filter: the id and the label of each item.
 *
 * @example
 * choicesOf(authors, Author.labelOf)
 */
export const choicesOf = <T extends PageItem>(
  items: readonly T[],
  labelOf: (item: T) => string,
): readonly (readonly [id: string, label: string])[] => items.map((item) => [item.id, labelOf(item)]);

async function partOf<Value, Params extends AnyParams>(
  part: PagePart<Value, Params>,
  request: Request<Params>,
): Promise<Value> {
  return typeof part === "function" ? (part as (request: Request<Params>) => Value | Promise<Value>)(request) : part;
}

/** Returns a function that completes the columns of a request. Columns that depend on no request are completed at once. */
function prepareColumns<T extends PageItem, Input, Params extends AnyParams>(
  columns: PagePart<readonly Column<T>[], Params>,
  pages: ResourcePages<T, Input>,
): (request: Request<Params>) => Promise<readonly ColumnDefinition<T>[]> | readonly ColumnDefinition<T>[] {
  if (typeof columns === "function") return async (request) => describeColumns(await columns(request), pages);
  const described = describeColumns(columns, pages);
  return () => described;
}

/** Completes columns by what the schema and the rules of the list say about their names. */
function describeColumns<T extends PageItem, Input>(
  columns: readonly Column<T>[],
  pages: ResourcePages<T, Input>,
): readonly ColumnDefinition<T>[] {
  const { schema, sortBy = [] } = pages;
  const { added, changed } = textsOf(pages);
  return columns.map((column) => {
    const definition: ColumnDefinition<T> = typeof column === "string" ? { name: column } : column;
    const { name } = definition;
    if (name === undefined) return definition;
    const member = schema.field(name);
    const kind = member !== undefined && "kind" in member ? member.kind : undefined;
    return {
      label: name === "created_at" ? added : name === "updated_at" ? changed : humanize(name),
      sort: sortBy.includes(name) ? name : undefined,
      isNumeric: kind === "decimal" ? true : undefined,
      format: kind === "oneOf" ? humanize : kind === "decimal" ? formText(schema, name) : undefined,
      ...definition,
    };
  });
}

/** Returns a function that shows a text as the forms of a schema do: a decimal with the separator of its messages. */
const formText =
  <Input>(schema: Schema.RecordSchema<Input>, name: string) =>
  (text: string): string =>
    Form.find(schema.fill({ [name]: text } as Readonly<Partial<Input>>), name)[0] ?? text;

const renderFact = <T>(column: ColumnDefinition<T>, item: T, texts: Texts): Html =>
  html`<div>
    <dt>${column.label ?? ""}</dt>
    <dd>${renderValue(valueOf(column, item), texts)}</dd>
  </div>`;

const hasAction = ({ only }: { readonly only?: readonly Action[] | undefined }, action: Action): boolean =>
  only === undefined || only.includes(action);

const listHeading = (title: string, action: HtmlValue): Html =>
  html`<div class="row space-between">
    <h1>${title}</h1>
    ${action}
  </div>`;

function noItems(components: PageComponents, many: string, path: string, isEmpty: boolean, texts: Texts): Html {
  if (isEmpty) return components.emptyState({ title: texts.noItems(many) });
  const action = html`<a href="${path}">${texts.showAll(many)}</a>`;
  return components.emptyState({ title: texts.noItemsFound(many), action });
}

/** Returns the default buttons of a row; `undefined` for a resource without them. After a deletion, the list has the same query. */
function editAndDelete<T extends PageItem, Input>(
  pages: ResourcePages<T, Input>,
  { deleteButton: renderDelete }: PageComponents,
): ((item: T, request: Request, csrf: string, query: Query.Query) => Html) | undefined {
  const [canEdit, canDelete] = [hasAction(pages, "edit"), hasAction(pages, "destroy")];
  if (!canEdit && !canDelete) return undefined;
  const texts = textsOf(pages);
  return (item, request, csrf, query) => {
    const path = itemPath(request, item.id);
    const label = pages.labelOf(item);
    const editLink = html`<a class="button secondary" href="${path}/edit" aria-label="${texts.editItem(label)}"
      >${texts.edit}</a
    >`;
    return html`${canEdit && editLink}
    ${canDelete && renderDelete({ csrf, action: path + Query.toQueryString(query), label, texts })}`;
  };
}
