import { html, type Html } from "../../html/index.ts";
import * as Query from "../query/query.ts";
import { type Choice, choicePair } from "./control.ts";
import { hiddenField } from "./field.ts";
import { humanize, idOf, ownValue } from "../names.ts";
import { type TextOptions, type Texts, textsOf } from "./texts.ts";

/** Options of one filter. */
export interface FilterOptions {
  /** Default: the words of the name. */
  readonly label?: string | undefined;
  /** Choices with labels. Default: those of the filter's type. A filter by UUID is shown only with choices. */
  readonly choices?: readonly Choice[] | undefined;
  /** Label of the choice for items without a value, of a nullable filter. Default "None". */
  readonly noneLabel?: string | undefined;
}

/** Options of the filters of a list. */
export interface FiltersOptions extends TextOptions {
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
}

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
  const texts = textsOf(options);
  const shown = Object.entries(filterBy).flatMap(([name, type]) => {
    const filter = ownValue(options.filters, name);
    return filter === false ? [] : (renderFilter(query, name, type, filter ?? {}, texts) ?? []);
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
  return html`${hiddenErrors.map(([name, { expected }]) => html`<p class="error">${humanize(name)}: ${texts.invalidFilter(expected)}</p>`)}
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

/** Attributes that the controls of filters share. */
interface FilterControl {
  readonly id: string;
  readonly name: string;
  readonly label: string;
  /** Texts as they were sent, or those of the values. */
  readonly values: readonly string[];
  /** Error of the filter, or `undefined`. */
  readonly error: string | undefined;
}

const renderError = ({ id, error }: FilterControl): Html | undefined =>
  error === undefined ? undefined : html`<p class="error" id="${id}-error">${error}</p>`;

/** Returns the id of the error, for `aria-describedby`. */
const errorId = ({ id, error }: FilterControl): string | undefined => (error === undefined ? undefined : `${id}-error`);

function filterControl(query: Query.Query, id: string, name: string, label: string, texts: Texts): FilterControl {
  const invalid = query.invalid && ownValue(query.invalid, name);
  const values = Query.entries(query).flatMap(([key, text]) => (key === name ? [text] : []));
  return {
    id,
    name,
    label,
    values: invalid?.texts ?? values,
    error: invalid && texts.invalidFilter(invalid.expected),
  };
}

function renderSearch(query: Query.Query, name: "filter" | "text", texts: Texts): Html {
  const control = filterControl(query, name, name, texts.search, texts);
  return html` <div class="wide">
    <label for="${name}">${control.label}</label>
    ${renderError(control)}
    <input
      id="${name}"
      name="${name}"
      type="search"
      maxlength="512"
      value="${control.values[0]}"
      ?aria-invalid=${control.error !== undefined}
      ?aria-describedby=${errorId(control)}
    />
  </div>`;
}

const renderOrder = (query: Query.Query, { order, newestFirst, oldestFirst }: Texts): Html =>
  html` <div>
    <label for="sort">${order}</label>
    <select id="sort" name="sort">
      <option value="desc" ?selected=${query.sort !== "asc"}>${newestFirst}</option>
      <option value="asc" ?selected=${query.sort === "asc"}>${oldestFirst}</option>
    </select>
  </div>`;

function renderPageSizes(query: Query.Query, pageSizes: readonly number[], { perPage }: Texts): Html {
  const { limit } = Query.withDefaults(query);
  // A size from elsewhere stays selected.
  const sizes = pageSizes.includes(limit) ? pageSizes : [...pageSizes, limit].toSorted((a, b) => a - b);
  return html` <div>
    <label for="limit">${perPage}</label>
    <select id="limit" name="limit">
      ${sizes.map((size) => html`<option ?selected=${size === limit}>${size}</option>`)}
    </select>
  </div>`;
}

function renderFilter(
  query: Query.Query,
  name: string,
  type: Query.FilterType,
  options: FilterOptions,
  texts: Texts,
): RenderedFilter | undefined {
  const label = options.label ?? humanize(name);
  const controlOf = (parameter: string, end?: string): FilterControl =>
    filterControl(query, idOf(parameter, "filter-"), parameter, end === undefined ? label : `${label}: ${end}`, texts);
  if (type.kind === "range") {
    const ends = [controlOf(`${name}_from`, texts.from), controlOf(`${name}_to`, texts.to)];
    const inputs = ends.map((end) => renderInput(end, type));
    return { names: ends.map((end) => end.name), control: html`${inputs}` };
  }
  const control = controlOf(name);
  const choices = choicesOf(type, options, texts, control.values);
  if (choices === undefined && type.schema["format"] === "uuid") return undefined;
  if (choices === undefined) {
    const others = control.values.slice(1).map((value) => hiddenField(name, value));
    return { names: [name], control: html`${renderInput(control, type)}${others}` };
  }
  const isGroup = type.kind === "any";
  return {
    names: [name],
    control: isGroup ? renderCheckboxes(control, choices) : renderSelect(control, choices, texts),
  };
}

/** Returns the choices of a filter, with the current values; `undefined` if it takes any value of its type. */
function choicesOf(
  type: Query.FilterType,
  { choices, noneLabel }: FilterOptions,
  { yes, no, none }: Texts,
  values: readonly string[],
): readonly Choice[] | undefined {
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
  const pairs = listedChoices.map(choicePair);
  if (type.isNullable) pairs.push(["none", noneLabel ?? none]);
  // A value from elsewhere stays selected.
  const others = values.filter((value) => !pairs.some(([choice]) => choice === value));
  return [...pairs, ...others.map((value) => [value, value] as const)];
}

function renderInput(control: FilterControl, type: Query.FilterType): Html {
  const { id, name, label, error } = control;
  const [value = ""] = control.values;
  const { format, type: jsonType } = type.schema as { readonly format?: string; readonly type?: string };
  // A range of points in time is chosen by days: the upper end includes its day.
  const isDay = format === "date" || format === "date-time";
  const suitableType = isDay ? "date" : jsonType === "integer" ? "number" : "text";
  // A browser empties an input whose value has another format, such as a time, or "none".
  const canShow = isDay ? /^\d{4}-\d\d-\d\d$/.test(value) : suitableType === "text" || /^-?\d+$/.test(value);
  const inputType = value === "" || (canShow && error === undefined) ? suitableType : "text";
  return html` <div>
    <label for="${id}">${label}</label>
    ${renderError(control)}
    <input
      id="${id}"
      name="${name}"
      type="${inputType}"
      value="${value}"
      ?aria-invalid=${error !== undefined}
      ?aria-describedby=${errorId(control)}
    />
  </div>`;
}

function renderSelect(control: FilterControl, choices: readonly Choice[], { any }: Texts): Html {
  const { id, name, label, values, error } = control;
  return html` <div>
    <label for="${id}">${label}</label>
    ${renderError(control)}
    <select id="${id}" name="${name}" ?aria-invalid=${error !== undefined} ?aria-describedby=${errorId(control)}>
      <option value="">${any}</option>
      ${choices.map(choicePair).map(([choice, text]) => html`<option value="${choice}" ?selected=${choice === values[0]}>${text}</option>`)}
    </select>
  </div>`;
}

function renderCheckboxes(control: FilterControl, choices: readonly Choice[]): Html {
  const { id, name, label, values } = control;
  return html` <fieldset class="wide" ?aria-describedby=${errorId(control)}>
    <legend>${label}</legend>
    ${renderError(control)}
    <div class="row">
      ${choices.map(choicePair).map(
        ([choice, text], index) =>
          html` <span class="check">
            <input
              id="${id}-${index + 1}"
              name="${name}"
              type="checkbox"
              value="${choice}"
              ?checked=${values.includes(choice)}
            />
            <label for="${id}-${index + 1}">${text}</label>
          </span>`,
      )}
    </div>
  </fieldset>`;
}
