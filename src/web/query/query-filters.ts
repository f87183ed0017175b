import { LanguageInternals } from "../../language/index.ts";
import { Schema } from "../../schema/index.ts";
import type { Request } from "../../http/message/index.ts";
import { errors } from "../errors.ts";
import { maxFilterLength, maxFilterValues, type QueryRules } from "./query-types.ts";

/** One value of a filter. `null` selects the items without a value. */
export type FilterScalar = string | number | boolean | Date | null;

/** Range of a filter. Both ends belong to it, and either can be absent. */
export interface FilterRange {
  readonly from?: string | number | Date;
  readonly to?: string | number | Date;
}

/** Value of a filter: one value, any of several values, or a range. */
export type FilterValue = FilterScalar | readonly FilterScalar[] | FilterRange;

/** Values of the filters of a query, by name. */
export type FilterValues = Readonly<Record<string, FilterValue>>;

/** Type of the values of a filter, created by `Query.oneOf`, `Query.bool` and similar functions. */
export interface FilterType {
  /** Number of values: one, several parameters of one name, or the parameters `…_from` and `…_to`. */
  readonly kind: "one" | "any" | "range";
  /** Description of one value for messages: `a UUID`. */
  readonly expected: QueryText;
  readonly isNullable: boolean;
  /** Parses a value, which is an end of a range if `end` is set. Returns `undefined` for an invalid text. */
  readonly read: (text: string, end?: "from" | "to") => Exclude<FilterScalar, null> | undefined;
  /** JSON Schema of one value, for OpenAPI documents. */
  readonly schema: Schema.JsonSchema;
  /** Properties of the filter in the form of a page, in the current language. Default: those of the address. */
  readonly onPage?: Partial<Pick<FilterType, "expected" | "read">>;
  /** Returns the text of a value for a form. Default: as in the address. */
  readonly show?: (text: string) => string;
}

/** Text about a query in one language. */
export type QueryText<Text = string> = (texts: LanguageInternals.QueryTexts) => Text;

/** Filters of a list, by name. The names are parameters of the query string. */
export type FilterTypes = Readonly<Record<string, FilterType>>;

/** Text of the query string that means "no value". */
const none = "none";

const single = (expected: QueryText, schema: Schema.JsonSchema, read: FilterType["read"]): FilterType =>
  Object.freeze({ kind: "one", expected, isNullable: false, read, schema });

// A page shows labels: its messages do not list the values.
const withLabels: Pick<FilterType, "onPage"> = { onPage: { expected: ({ expected }) => expected.option } };

/** Creates a filter with a fixed set of texts: `status=open`. */
export function oneOfFilter(...values: readonly string[]): FilterType {
  const type = single(
    ({ expected }) => expected.oneOf(values),
    { type: "string", enum: values },
    (text) => (values.includes(text) ? text : undefined),
  );
  return Object.freeze({ ...type, ...withLabels });
}

/** Filter by a boolean: `done=true`, `done=false`. */
export const boolFilter: FilterType = Object.freeze({
  ...single(
    ({ expected }) => expected.bool,
    { type: "boolean" },
    (text) => (text === "true" ? true : text === "false" ? false : undefined),
  ),
  ...withLabels,
});

/** Filter by a UUID, in upper or lower case. */
export const uuidFilter: FilterType = single(
  ({ expected }) => expected.uuid,
  { type: "string", format: "uuid" },
  (text) => (Schema.isUuid(text) ? text.toLowerCase() : undefined),
);

/** Schema of a text of a query, without the character NUL. */
export const searchTextSchema: Schema.JsonSchema = {
  type: "string",
  pattern: String.raw`^[^\u0000]*$`,
  maxLength: maxFilterLength,
};

/** Filter by a text that is equal, at most 256 characters. */
export const textFilter: FilterType = single(
  ({ expected }) => expected.text(maxFilterLength),
  searchTextSchema,
  (value) => (Array.from(value).length <= maxFilterLength && !value.includes("\0") ? value : undefined),
);

const intSchema = { type: "integer", minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };

/** Filter by a whole number between −2⁵³ and 2⁵³. */
export const intFilter: FilterType = single(
  ({ expected }) => expected.int,
  intSchema,
  (value) => {
    if (!/^-?[0-9]{1,16}$/.test(value)) return undefined;
    // -0 would not survive serialization.
    const number = Number(value) + 0;
    return Number.isSafeInteger(number) ? number : undefined;
  },
);

const decimalPattern = /^-?[0-9]{1,30}(?:\.[0-9]{1,30})?$/;

const commaPattern = /^(-?[0-9]{1,30})(?:,([0-9]{1,30}))?$/;

const readPoint = (text: string): string | undefined => (decimalPattern.test(text) ? text : undefined);

/**
 * Reads a decimal with a comma, or one with a point of an address. Three digits after a point may be a whole number with a
 * thousands separator: they are refused, and those after a comma get a zero.
 */
function readComma(text: string): string | undefined {
  const [, whole, fraction] = commaPattern.exec(text) ?? [];
  if (whole === undefined) return /\.\d{3}$/.test(text) ? undefined : readPoint(text);
  return fraction === undefined ? whole : `${whole}.${fraction.length === 3 ? `${fraction}0` : fraction}`;
}

const hasComma = (): boolean => LanguageInternals.frameworkTexts().schema.decimalSeparator === ",";

/**
 * Filter by a decimal number, exactly as written: `price=12.50`. At most 30 digits before and after the point. The form of a
 * page takes and shows the separator of the language.
 */
export const decimalFilter: FilterType = Object.freeze({
  ...single(({ expected }) => expected.decimal("."), { type: "string", pattern: decimalPattern.source }, readPoint),
  onPage: {
    expected: ({ expected }) => expected.decimal(LanguageInternals.frameworkTexts().schema.decimalSeparator),
    read: (text) => (hasComma() ? readComma(text) : readPoint(text)),
  },
  show: (text) => (hasComma() ? text.replace(/(\.\d{3})0$/, "$1").replace(".", ",") : text),
} satisfies FilterType);

/** Filter by a calendar date: `day=2026-01-31`. */
export const dateFilter: FilterType = single(
  ({ expected }) => expected.date,
  { type: "string", format: "date" },
  (value) => (isDate(value) ? value : undefined),
);

const timestampPattern =
  /^(\d{4}-\d{2}-\d{2})(?:T([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.(\d{1,3}))?)?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?)?$/;

/**
 * Filter by a point in time: `2026-01-31T12:00:00Z`, `2026-01-31T12:00` (UTC), or a date, which is its first millisecond in
 * UTC, and as the upper end of a range its last one.
 */
export const timestampFilter: FilterType = single(
  ({ expected }) => expected.timestamp,
  { type: "string", format: "date-time" },
  (value, end) => {
    const [, day = "", hour, minute = "00", second = "00", fraction = "0", zone = "Z"] =
      timestampPattern.exec(value) ?? [];
    if (!isDate(day)) return undefined;
    const time =
      hour === undefined && end === "to"
        ? "23:59:59.999"
        : `${hour ?? "00"}:${minute}:${second}.${fraction.padEnd(3, "0")}`;
    const parsed = new Date(`${day}T${time}${zone}`);
    return isYearSupported(parsed) ? parsed : undefined;
  },
);

/** Returns true for a valid date with a year of four digits, not 0000. */
const isYearSupported = (moment: Date): boolean => moment.getUTCFullYear() >= 1 && moment.getUTCFullYear() <= 9999;

function isDate(value: string): boolean {
  const parsed = new Date(`${value}T00:00:00Z`);
  return isYearSupported(parsed) && parsed.toISOString() === `${value}T00:00:00.000Z`;
}

/** Returns a filter that also selects the items without a value: `assignee=none`. A text "none" then means no value. */
export function nullableFilter(type: FilterType): FilterType {
  return Object.freeze({ ...type, isNullable: true });
}

/** Returns a filter with several values, any of which may match: `status=open&status=closed`. At most 100. */
export function anyOfFilter(type: FilterType): FilterType {
  return Object.freeze({ ...type, kind: "any" });
}

/** Returns a filter by a range. `created_at` has the parameters `created_at_from` and `created_at_to`. */
export function rangeFilter(type: FilterType): FilterType {
  return Object.freeze({ ...type, kind: "range", isNullable: false });
}

/** Returns the parameters of a filter. */
export const filterParameters = (name: string, { kind }: Pick<FilterType, "kind">): readonly string[] =>
  kind === "range" ? [`${name}_from`, `${name}_to`] : [name];

/** Reports an invalid filter, which counts as absent then: throws, or collects it for a page. */
export type ReportInvalid = (key: string, rule: QueryText<LanguageInternals.QueryRule>) => void;

/** Throws E_QUERY_INVALID (400). */
export const refuseInvalid: ReportInvalid = (key, rule) => {
  throw errors.E_QUERY_INVALID(key, ({ schema }) => rule(schema.query)[1]);
};

/** Parses the filters of a query string. Empty values count as absent. */
export function readFilters(
  parameters: URLSearchParams,
  types: FilterTypes,
  report: ReportInvalid,
  isPage: boolean,
): FilterValues {
  const filters: [name: string, value: FilterValue][] = [];
  for (const [name, addressType] of Object.entries(types)) {
    const type = isPage ? { ...addressType, ...addressType.onPage } : addressType;
    const [first = name, second = name] = filterParameters(name, type);
    if (type.kind === "range") {
      const [from] = readValues(parameters, first, type, report, "from");
      const [to] = readValues(parameters, second, type, report, "to");
      const ends = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
      if (Object.keys(ends).length > 0) filters.push([name, ends as FilterRange]);
    } else {
      const values = readValues(parameters, name, type, report);
      if (values.length > 0) filters.push([name, type.kind === "any" ? values : (values[0] as FilterScalar)]);
    }
  }
  return Object.fromEntries(filters);
}

function readValues(
  parameters: URLSearchParams,
  key: string,
  { kind, expected, isNullable, read }: FilterType,
  report: ReportInvalid,
  end?: "from" | "to",
): readonly FilterScalar[] {
  const refuse = (rule: QueryText<LanguageInternals.QueryRule>): readonly FilterScalar[] => {
    report(key, rule);
    return [];
  };
  const texts = parameters.getAll(key);
  if (kind !== "any" && texts.length > 1) return refuse(({ once }) => once);
  if (texts.length > maxFilterValues) return refuse(({ atMost }) => atMost(maxFilterValues));
  const values = texts
    .filter((value) => value !== "")
    .map((value) => (isNullable && value === none ? null : read(value, end)));
  if (values.every((value) => value !== undefined)) return values;
  return refuse((all) => {
    const description = isNullable ? all.expected.orNone(expected(all), none) : expected(all);
    return [description, all.is(description)];
  });
}

/** Returns the parameters of filters with their texts. `readFilters` parses them back. */
export function filterEntries(filters: FilterValues): readonly (readonly [key: string, text: string])[] {
  return Object.entries(filters).flatMap(([name, value]): readonly (readonly [string, string])[] => {
    if (Array.isArray(value)) return value.map((item: FilterScalar) => [name, valueText(item)] as const);
    if (!isRange(value)) return [[name, valueText(value as FilterScalar)]];
    const { from, to } = value;
    return [
      ...(from === undefined ? [] : [[`${name}_from`, valueText(from)] as const]),
      ...(to === undefined ? [] : [[`${name}_to`, valueText(to, "23:59:59.999Z")] as const]),
    ];
  });
}

const isRange = (value: FilterValue): value is FilterRange =>
  typeof value === "object" && value !== null && !(value instanceof Date) && !Array.isArray(value);

/** Returns the text of a value. A point in time becomes its date if its time is the one that the date stands for. */
function valueText(value: FilterScalar, timeOfDate = "00:00:00.000Z"): string {
  if (value === null) return none;
  if (!(value instanceof Date)) return String(value).toWellFormed();
  const [day = "", time] = value.toISOString().split("T");
  return time === timeOfDate ? day : value.toISOString();
}

/** Parameters of the query string of every list, apart from its filters. */
export const queryKeys = ["filter", "text", "limit", "offset", "sort", "after", "before"] as const;

const otherParameters: readonly string[] = [...queryKeys, "include", "fields"];
const reservedFilters: readonly string[] = [...otherParameters, "csrf", "asc", "desc"];
// Sort columns are no parameters, but words of one.
const reservedColumns: readonly string[] = ["asc", "desc"];

/** Checks filters and sort columns. @throws E_QUERY_RULES for a name that is no identifier, reserved, or ambiguous */
export function checkNames({ filterBy = {}, sortBy = [] }: QueryRules): void {
  const parameters = Object.entries(filterBy).flatMap(([name, type]) => filterParameters(name, type));
  const repeated = parameters.find((name, index) => parameters.indexOf(name) !== index);
  if (repeated !== undefined) throw errors.E_QUERY_RULES(repeated, "two filters have this parameter");
  for (const [names, reserved] of [
    [parameters, reservedFilters],
    [sortBy, reservedColumns],
  ] as const) {
    for (const name of names) {
      if (!/^[A-Za-z]\w*$/.test(name))
        throw errors.E_QUERY_RULES(name, "it must consist of letters, digits and underscores");
      if (reserved.includes(name)) throw errors.E_QUERY_RULES(name, `reserved are ${reserved.join(", ")}`);
    }
  }
}

/** Returns a check of the parameters: a misspelt filter would return more items. It throws E_QUERY_INVALID (400). */
export function parameterCheck({ filterBy, text = false }: QueryRules): (request: Pick<Request, "query">) => void {
  if (filterBy === undefined) return () => {};
  const filters = Object.entries(filterBy).flatMap(([name, type]) => filterParameters(name, type));
  const allowed = new Set([...filters, ...otherParameters.filter((key) => key !== "text" || text)]);
  return ({ query }) => {
    for (const key of query.keys()) {
      if (allowed.has(key)) continue;
      throw errors.E_QUERY_INVALID(key.slice(0, 100), ({ schema }) => schema.query.unknown(filters));
    }
  };
}
