import { html, type Html } from "../../html/index.ts";
import { LanguageInternals } from "../../language/index.ts";
import * as Query from "../query/query.ts";
import { type Choice, type ChoicePair, choicePairs, renderInput, renderSelect } from "./control.ts";
import { hiddenField, renderChoices } from "./field.ts";
import { type FieldFrame, fieldFrame, labelledField } from "./field-frame.ts";
import { type FieldTexts, labelOf } from "../labels.ts";
import { ownValue } from "../names.ts";

/** Options of one filter. */
export interface FilterOptions {
  /** Default: that of `texts`, otherwise the words of the name. */
  readonly label?: string | undefined;
  /** Choices with labels. Default: those of the filter's type. A filter by UUID is shown only with choices. */
  readonly choices?: readonly Choice[] | undefined;
  /** Label of the choice for items without a value, of a nullable filter. Default: "None" in the language of the page. */
  readonly noneLabel?: string | undefined;
}

/** Options of the filters of a list. */
export interface FiltersOptions {
  /** Path of the list: `Rest.listPath(request)`. */
  readonly path: string;
  /** Filters that the list allows, as its resource has them. Default: none. */
  readonly filterBy?: Query.FilterTypes | undefined;
  /** Labels and choices of the filters; `false` leaves a filter out. */
  readonly filters?: Readonly<Record<string, FilterOptions | false | undefined>> | undefined;
  /** Columns that the list may be sorted by, as its resource has them. Default: none. */
  readonly sortBy?: readonly string[] | undefined;
  /** True if the list has a full-text search, as its resource says. Default false. */
  readonly text?: boolean | undefined;
  /** Parameter of the text search, or false for a list without one. Default: `text` for a full-text search, else `filter`. */
  readonly search?: "filter" | "text" | false | undefined;
  /** True to choose between newest and oldest first. Default: true unless the list has sort columns. */
  readonly hasOrder?: boolean | undefined;
  /** Page sizes to choose from; an empty list shows no choice. Default 10, 25, 50 and 100. */
  readonly pageSizes?: readonly number[] | undefined;
  /** Labels of the filters and of their choices. Default: the words of their names. */
  readonly texts?: FieldTexts | undefined;
}

type Texts = LanguageInternals.ComponentTexts;

/**
 * Renders the form above a list: text search, filters, order and page size. It is sent with GET, so that a filtered list has
 * an address. It leads to the first page, and keeps what it does not show.
 *
 * @throws E_QUERY_RULES
 * @example
 * filters(query, { path, ...rules, filters: { assignee_id: { label: "Assignee", choices: people } } });
 */
export function filters(query: Query.Query, options: FiltersOptions): Html {
  const { path, filterBy = {}, sortBy = query.sortBy, text = false, pageSizes = [10, 25, 50, 100] } = options;
  const { hasOrder = sortBy === undefined, search = text ? "text" : "filter" } = options;
  const texts = LanguageInternals.frameworkTexts().components;
  const shown = Object.entries(filterBy).flatMap(([name, type]) => {
    const filter = ownValue(options.filters, name);
    return filter === false ? [] : (renderFilter(query, name, type, filter ?? {}, options.texts) ?? []);
  });
  const names = new Set([
    ...shown.flatMap(({ names: parameters }) => parameters),
    ...(search === false ? [] : [search]),
    ...(hasOrder ? ["sort"] : []),
    ...(pageSizes.length > 0 ? ["limit"] : []),
    "offset",
    "after",
    "before",
  ]);
  const kept = Query.entries(query).filter(([name]) => !names.has(name));
  const hiddenErrors = Object.entries(query.invalid ?? {}).filter(([name]) => !names.has(name));
  return html`${hiddenErrors.map(([name, { expected }]) => html`<p class="error">${texts.labelled(labelOf(options.texts, name), texts.invalidFilter(expected))}</p>`)}
    <form class="card search" role="search" action="${path}">
      ${search !== false && renderSearch(query, search, texts)} ${shown.map(({ control }) => control)}
      ${hasOrder && renderOrder(query, texts)} ${pageSizes.length > 0 && renderPageSizes(query, pageSizes, texts)}
      ${kept.map(([name, value]) => hiddenField(name, value))}
      <div class="row">
        <button class="secondary">${search === false ? texts.apply : texts.search}</button>
        ${Query.isFiltered(query) && html`<a class="button secondary" href="${path}">${texts.clear}</a>`}
      </div>
    </form>`;
}

interface RenderedFilter {
  /** Parameters that the control sends. */
  readonly names: readonly string[];
  readonly control: Html;
}

/** Field of a filter. */
interface FilterField {
  readonly frame: FieldFrame;
  /** Texts as they were sent, or those of the values. */
  readonly values: readonly string[];
}

function filterField(query: Query.Query, name: string, label: string, texts: Texts, idPrefix?: string): FilterField {
  const invalid = query.invalid && ownValue(query.invalid, name);
  const values = Query.entries(query).flatMap(([key, text]) => (key === name ? [text] : []));
  const error = invalid && texts.invalidFilter(invalid.expected);
  // No filter is required, and none is marked as optional.
  const frame = fieldFrame([], name, true, { label, idPrefix }, error);
  const control = { ...frame.control, isRequired: false };
  return {
    frame: { ...frame, control, className: error === undefined ? "filter" : "filter is-invalid" },
    values: invalid?.texts ?? values,
  };
}

const widen = (frame: FieldFrame): FieldFrame => ({ ...frame, className: `${frame.className} wide` });

function renderSearch(query: Query.Query, name: "filter" | "text", texts: Texts): Html {
  const { frame, values } = filterField(query, name, texts.search, texts);
  const input = renderInput(frame.control, { type: "search", value: values[0] ?? "", maxlength: 512 });
  return labelledField(widen(frame), input);
}

function renderOrder(query: Query.Query, texts: Texts): Html {
  const { frame } = filterField(query, "sort", texts.order, texts);
  const choices = [["desc", texts.newestFirst] as const, ["asc", texts.oldestFirst] as const];
  return labelledField(frame, renderSelect(frame.control, choices, query.sort === "asc" ? "asc" : "desc", undefined));
}

function renderPageSizes(query: Query.Query, pageSizes: readonly number[], texts: Texts): Html {
  const { limit } = Query.withDefaults(query);
  const { frame } = filterField(query, "limit", texts.perPage, texts);
  // A size from elsewhere stays selected.
  const sizes = pageSizes.includes(limit) ? pageSizes : [...pageSizes, limit].toSorted((a, b) => a - b);
  return labelledField(
    frame,
    renderSelect(frame.control, choicePairs(sizes.map(String), undefined, "limit"), String(limit), undefined),
  );
}

function renderFilter(
  query: Query.Query,
  name: string,
  type: Query.FilterType,
  options: FilterOptions,
  fieldTexts: FieldTexts | undefined,
): RenderedFilter | undefined {
  const texts = LanguageInternals.frameworkTexts().components;
  const label = options.label ?? labelOf(fieldTexts, name);
  const fieldOf = (parameter: string, end?: string): FilterField =>
    filterField(query, parameter, end === undefined ? label : texts.labelled(label, end), texts, "filter-");
  if (type.kind === "range") {
    const ends = [fieldOf(`${name}_from`, texts.from), fieldOf(`${name}_to`, texts.to)];
    const inputs = ends.map((end) => renderText(end, type));
    return { names: ends.map(({ frame }) => frame.name), control: html`${inputs}` };
  }
  const filter = fieldOf(name);
  const { frame, values } = filter;
  const choices = choicesOf(name, type, options, fieldTexts, values);
  if (choices === undefined && type.schema["format"] === "uuid") return undefined;
  if (choices === undefined) {
    const others = values.slice(1).map((value) => hiddenField(name, value));
    return { names: [name], control: html`${renderText(filter, type)}${others}` };
  }
  const control =
    type.kind === "any"
      ? renderChoices(widen(frame), "checkboxes", choices, (choice) => values.includes(choice))
      : labelledField(frame, renderSelect(frame.control, choices, values[0], texts.any));
  return { names: [name], control };
}

/** Returns the choices of a filter, with the current values; `undefined` if it takes any value of its type. */
function choicesOf(
  name: string,
  type: Query.FilterType,
  { choices, noneLabel }: FilterOptions,
  texts: FieldTexts | undefined,
  values: readonly string[],
): readonly ChoicePair[] | undefined {
  const { yes, no, none } = LanguageInternals.frameworkTexts().components;
  const { enum: options, type: jsonType } = type.schema as {
    readonly enum?: readonly string[];
    readonly type?: string;
  };
  const booleans = [
    ["true", yes],
    ["false", no],
  ] as const;
  const listedChoices = choices ?? options ?? (jsonType === "boolean" ? booleans : undefined);
  if (listedChoices === undefined) return undefined;
  const listed = choicePairs(listedChoices, texts, name);
  const pairs = type.isNullable ? [...listed, ["none", noneLabel ?? none] as const] : listed;
  // A value from elsewhere stays selected.
  const others = values.filter((value) => !pairs.some(([choice]) => choice === value));
  return [...pairs, ...others.map((value) => [value, value] as const)];
}

function renderText({ frame, values: [value = ""] }: FilterField, type: Query.FilterType): Html {
  const { format, type: jsonType } = type.schema as { readonly format?: string; readonly type?: string };
  // A range of points in time is chosen by days: the upper end includes its day.
  const isDay = format === "date" || format === "date-time";
  const suitableType = isDay ? "date" : jsonType === "integer" ? "number" : "text";
  // A browser empties an input whose value has another format, such as a time, or "none".
  const canShow = isDay ? /^\d{4}-\d\d-\d\d$/.test(value) : suitableType === "text" || /^-?\d+$/.test(value);
  const shown = frame.control.isInvalid ? value : (type.show?.(value) ?? value);
  const inputType = value === "" || (canShow && !frame.control.isInvalid) ? suitableType : "text";
  return labelledField(frame, renderInput(frame.control, { type: inputType, value: shown }));
}
