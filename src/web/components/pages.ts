import { html, type Html, type HtmlValue } from "../../html/index.ts";
import type { Request } from "../../http/index.ts";
import { LanguageInternals } from "../../language/index.ts";
import { Form, type Schema } from "../../schema/index.ts";
import { can, writableFields } from "../rest/access.ts";
import type { Action } from "../rest/contract.ts";
import type { ResourceTexts } from "../rest/messages.ts";
import { itemPath, listPath } from "../rest/paths.ts";
import * as Query from "../query/query.ts";
import { emptyState } from "./empty-state.ts";
import { filters, type FiltersOptions } from "./filters.ts";
import { deleteButton, type FormFields, formOf, type FormOfOptions } from "./form.ts";
import { choiceLabelOf, labelOf as fieldLabelOf } from "../labels.ts";
import { capitalize } from "../names.ts";
import { pager } from "./pager.ts";
import { type Column, type ColumnDefinition, renderFact, sortLinks, table, type TableSelection } from "./table.ts";
import { calendarDate } from "./values.ts";

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
export interface ResourcePages<T extends PageItem, Input> {
  /** Texts of the resource, such as a group of a catalogue: `text.book`. They are read on each request. */
  readonly texts: ResourceTexts;
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

/** Returns the buttons of a row. `can` says what the policy of the resource allows. */
export type RowButtons<T extends PageItem, Params extends AnyParams> = (
  item: T,
  request: Request<Params>,
  csrf: string,
  query: Query.Query,
  can: (action: "edit" | "update" | "destroy", item: T) => boolean,
) => HtmlValue;

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
  /** Returns the buttons of a row. Default: Edit and Delete, as far as the policy of the resource allows them. */
  readonly actions?: RowButtons<T, Params> | undefined;
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
  const { layout, filterBy = {}, sortBy, text } = pages;
  const { search, hasOrder, pageSizes, card } = options;
  const components = { ...ownComponents, ...pages.components };
  const columnsOf = prepareColumns(options.columns ?? [], pages);
  const { actions = editAndDelete(pages, components) } = options;
  return async (request, csrf, [items, total], query, cursors) => {
    const { texts } = pages;
    const title = capitalize(texts.many);
    const path = listPath(request);
    const content = (make: ListContent<Params> | undefined): HtmlValue | Promise<HtmlValue> =>
      make?.(request, csrf, query);
    const allows = await can(request, items);
    const empty =
      (await content(options.empty)) ?? noItems(components, texts.many, path, total === 0 && !Query.isFiltered(query));
    const buttons = (item: T): HtmlValue => actions?.(item, request, csrf, query, allows);
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
      ${(await content(options.heading)) ?? listHeading(title, hasAction(pages, "new") && html`<a class="button" href="${path}/new">${newTitle(pages)}</a>`)}
      ${components.filters(query, filterOptions)} ${list}
      ${components.pager(query, { path, count: items.length, total, cursors })} ${await content(options.after)}`,
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
  const columnsOf = prepareColumns(facts, pages);
  return async (request, item) => {
    const path = itemPath(request, item.id);
    const allows = await can(request, [item]);
    const label = labelOf(item);
    const columns = await columnsOf(request);
    const { edit, backToList } = LanguageInternals.frameworkTexts().components;
    return layout(
      request,
      label,
      html`<article class="card">
          <h1>${label}</h1>
          <dl class="facts">${columns.map((column) => renderFact(column, item, pages.texts))}</dl>
        </article>
        ${await after?.(request, item)}
        <p class="row">
          ${hasAction(pages, "edit") && allows("edit", item) && html`<a class="button" href="${path}/edit">${edit}</a>`}
          ${Object.entries(links).map(([to, text]) => html`<a class="button secondary" href="${path}/${to}">${text}</a>`)}
          <a href="${listPath(request)}">${backToList}</a>
        </p>`,
    );
  };
}

/** Makes the page `new` of a resource: the form of a new item. */
export function newPage<T extends PageItem, Input, Params extends AnyParams = AnyParams>(
  pages: ResourcePages<T, Input>,
  options: NewPageOptions<Input, Params> = {},
): (request: Request<Params>, csrf: string, form: Form) => Promise<Html> {
  const { schema, layout } = pages;
  const components = { ...ownComponents, ...pages.components };
  return async (request, csrf, form) => {
    const path = listPath(request);
    const fields = await partOf(options.fields, request);
    const title = newTitle(pages);
    const { add: submit } = LanguageInternals.frameworkTexts().components;
    const only = writableFields(request, schema, options.only);
    const formOptions = { ...options, only, csrf, action: path, submit, cancel: path, fields, texts: pages.texts };
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
  const { schema, labelOf, layout } = pages;
  const components = { ...ownComponents, ...pages.components };
  return async (request, csrf, form, item) => {
    const path = itemPath(request, item.id);
    const fields = typeof options.fields === "function" ? await options.fields(request, item) : options.fields;
    const { save: submit, editItem } = LanguageInternals.frameworkTexts().components;
    const formOptions = {
      method: "put",
      ...options,
      only: writableFields(request, schema, options.only),
      csrf,
      action: path,
      version: item.version,
      submit,
      cancel: path,
      fields,
      texts: pages.texts,
    } as const;
    return layout(
      request,
      editItem(labelOf(item)),
      html`<h1>${capitalize(editItem(pages.texts.one))}</h1>
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

/** Returns a function that completes the columns of a request. Columns that depend on no request are completed once. */
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
  return columns.map((column) => {
    const definition: ColumnDefinition<T> = typeof column === "string" ? { name: column } : column;
    const { name, value, format, sort, isNumeric } = definition;
    if (name === undefined) return definition;
    const member = schema.field(name);
    const kind = member !== undefined && "kind" in member ? member.kind : undefined;
    return {
      name,
      value,
      // The label of the definition may be a getter.
      get label() {
        return definition.label ?? fieldLabelOf(pages.texts, name);
      },
      sort: "sort" in definition ? sort : sortBy.includes(name) ? name : undefined,
      isNumeric: isNumeric ?? (kind === "decimal" ? true : undefined),
      format: format ?? formatOf(pages, name, kind),
    };
  });
}

/** Returns the function that shows texts of a field in the language of the page. */
function formatOf<T extends PageItem, Input>(
  pages: ResourcePages<T, Input>,
  name: string,
  kind: string | undefined,
): ColumnDefinition<T>["format"] {
  if (kind === "oneOf") return (text) => choiceLabelOf(pages.texts, name, text);
  if (kind === "date") return calendarDate;
  return kind === "decimal" ? formText(pages.schema, name) : undefined;
}

/** Returns a function that shows a text as the forms of a schema do: a decimal with the separator of its messages. */
const formText =
  <Input>(schema: Schema.RecordSchema<Input>, name: string) =>
  (text: string): string =>
    Form.find(schema.fill({ [name]: text } as Readonly<Partial<Input>>), name)[0] ?? text;

const hasAction = ({ only }: { readonly only?: readonly Action[] | undefined }, action: Action): boolean =>
  only === undefined || only.includes(action);

const listHeading = (title: string, action: HtmlValue): Html =>
  html`<div class="row space-between">
    <h1>${title}</h1>
    ${action}
  </div>`;

/** Returns the heading of the form of a new item. */
const newTitle = ({ texts }: { readonly texts: ResourceTexts }): string =>
  capitalize(LanguageInternals.frameworkTexts().components.newItem(texts.one));

function noItems(components: PageComponents, many: string, path: string, isEmpty: boolean): Html {
  const texts = LanguageInternals.frameworkTexts().components;
  if (isEmpty) return components.emptyState({ title: capitalize(texts.noItems(many)) });
  const action = html`<a href="${path}">${capitalize(texts.showAll(many))}</a>`;
  return components.emptyState({ title: capitalize(texts.noItemsFound(many)), action });
}

/** Returns the default buttons of a row; `undefined` for a resource without them. After a deletion, the list has the same query. */
function editAndDelete<T extends PageItem, Input>(
  pages: ResourcePages<T, Input>,
  { deleteButton: renderDelete }: PageComponents,
): RowButtons<T, AnyParams> | undefined {
  const [canEdit, canDelete] = [hasAction(pages, "edit"), hasAction(pages, "destroy")];
  if (!canEdit && !canDelete) return undefined;
  return (item, request, csrf, query, allows) => {
    const { edit, editItem } = LanguageInternals.frameworkTexts().components;
    const path = itemPath(request, item.id);
    const label = pages.labelOf(item);
    const editLink = html`<a class="button secondary" href="${path}/edit" aria-label="${editItem(label)}">${edit}</a>`;
    return html`${canEdit && allows("edit", item) && editLink}
    ${canDelete && allows("destroy", item) && renderDelete({ csrf, action: path + Query.toQueryString(query), label })}`;
  };
}
