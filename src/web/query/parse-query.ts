import { errors } from "../errors.ts";
import type { Request } from "../../http/message/index.ts";
import { type FilterTypes, queryKeys, readFilters, refuseInvalid, type ReportInvalid } from "./query-filters.ts";
import {
  defaultLimit,
  defaultMaxLimit,
  hasCursor,
  maxCursorLength,
  type InvalidFilter,
  maxFilterLength,
  maxFilterValues,
  type Query,
  type QueryRules,
} from "./query-types.ts";
import { LanguageInternals } from "../../language/index.ts";
import { readSort } from "./query-sort.ts";

/** Parses a query by rules whose names are checked. @throws E_QUERY_INVALID (400), E_TOO_MANY_PARAMETERS */
export function parseQuery(
  request: Pick<Request, "query">,
  rules: QueryRules,
  report: ReportInvalid = refuseInvalid,
  isPage = false,
): Query {
  const { maxLimit = defaultMaxLimit, filterBy = noFilters, sortBy = noColumns } = rules;
  const [filter, text, limit, offset, sort, after, before] = queryKeys.map((key) =>
    key === "text" && rules.text !== true ? undefined : singleValue(request.query, key),
  );
  const pageSize = limit === undefined ? Math.min(defaultLimit, maxLimit) : limitOf(limit, maxLimit);
  const filters = readFilters(request.query, filterBy, report, isPage);
  const [containedText, words] = [searchTextOf("filter", filter, report), searchTextOf("text", text, report)];
  const query: Query = {
    ...(containedText === undefined ? {} : { filter: containedText }),
    ...(words === undefined ? {} : { text: words }),
    ...(Object.keys(filters).length === 0 ? {} : { filterBy: filters }),
    ...(limit === undefined && pageSize === defaultLimit ? {} : { limit: pageSize }),
    ...(offset === undefined ? {} : { offset: offsetOf(offset) }),
    ...(sort === undefined ? {} : readSort(sort, sortBy)),
    ...(after === undefined ? {} : { after: cursorOf("after", after) }),
    ...(before === undefined ? {} : { before: cursorOf("before", before) }),
  };
  if (query.after !== undefined && query.before !== undefined) {
    throw errors.E_QUERY_INVALID("after", ({ schema }) => schema.query.notWith("before"));
  }
  if (hasCursor(query) && (query.offset ?? 0) > 0) {
    throw errors.E_QUERY_INVALID("offset", ({ schema }) => schema.query.noOffset);
  }
  return query;
}

/**
 * Parses the query of a page by rules whose names are checked: it keeps invalid filters, for its form, and its decimals have
 * the separator of the language. Throws as `parseQuery`.
 */
export function parsePageQuery(request: Pick<Request, "query">, rules: QueryRules): Query {
  const invalid: [parameter: string, filter: InvalidFilter][] = [];
  const report: ReportInvalid = (key, rule) => {
    const [expected] = rule(LanguageInternals.frameworkTexts().schema.query);
    invalid.push([key, { texts: request.query.getAll(key).slice(0, maxFilterValues), expected }]);
  };
  const query = parseQuery(request, rules, report, true);
  return invalid.length === 0 ? query : { ...query, invalid: Object.fromEntries(invalid) };
}

const noFilters: FilterTypes = {};
const noColumns: readonly string[] = [];

function singleValue(parameters: URLSearchParams, key: string): string | undefined {
  const [value, ...others] = parameters.getAll(key);
  if (others.length > 0) throw errors.E_QUERY_INVALID(key, ({ schema }) => schema.query.once[1]);
  return value === "" ? undefined : value;
}

function searchTextOf(key: "filter" | "text", text: string | undefined, report: ReportInvalid): string | undefined {
  if (text === undefined) return undefined;
  // A character has at most two UTF-16 code units: this rejects very long texts before counting.
  if (text.length > 2 * maxFilterLength || Array.from(text).length > maxFilterLength) {
    report(key, ({ short }) => short(maxFilterLength));
  } else if (text.includes("\0")) report(key, ({ withoutNul }) => withoutNul);
  else return text;
  return undefined;
}

function limitOf(text: string, maxLimit: number): number {
  const limit = digitsOf("limit", text);
  if (limit === 0) throw errors.E_QUERY_INVALID("limit", ({ schema }) => schema.query.positive);
  return Math.min(limit, maxLimit);
}

function offsetOf(text: string): number {
  const offset = digitsOf("offset", text);
  if (!Number.isSafeInteger(offset)) throw errors.E_QUERY_INVALID("offset", ({ schema }) => schema.query.tooLarge);
  return offset;
}

function digitsOf(key: string, text: string): number {
  if (!/^[0-9]+$/.test(text)) throw errors.E_QUERY_INVALID(key, ({ schema }) => schema.query.digits);
  return Number(text);
}

function cursorOf(key: "after" | "before", text: string): string {
  if (text.length > maxCursorLength || !/^[\w.~-]+$/.test(text))
    throw errors.E_QUERY_INVALID(key, ({ schema }) => schema.query.cursor);
  return text;
}
