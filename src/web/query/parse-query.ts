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
import { readSort } from "./query-sort.ts";

/** Parses a query by rules whose names are checked. @throws E_QUERY_INVALID (400), E_TOO_MANY_PARAMETERS */
export function parseQuery(
  request: Pick<Request, "query">,
  rules: QueryRules,
  report: ReportInvalid = refuseInvalid,
): Query {
  const { maxLimit = defaultMaxLimit, filterBy = noFilters, sortBy = noColumns } = rules;
  const [filter, text, limit, offset, sort, after, before] = queryKeys.map((key) =>
    key === "text" && rules.text !== true ? undefined : singleValue(request.query, key),
  );
  const pageSize = limit === undefined ? Math.min(defaultLimit, maxLimit) : limitOf(limit, maxLimit);
  const filters = readFilters(request.query, filterBy, report);
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
    throw errors.E_QUERY_INVALID("after", 'cannot be combined with "before"');
  }
  if (hasCursor(query) && (query.offset ?? 0) > 0) {
    throw errors.E_QUERY_INVALID("offset", 'must be 0 with "after" or "before"');
  }
  return query;
}

/** Parses the query of a page by rules whose names are checked: it keeps invalid filters, for its form. Throws as `parseQuery`. */
export function parsePageQuery(request: Pick<Request, "query">, rules: QueryRules): Query {
  const invalid: [parameter: string, filter: InvalidFilter][] = [];
  const query = parseQuery(request, rules, (key, expected) => {
    invalid.push([key, { texts: request.query.getAll(key).slice(0, maxFilterValues), expected }]);
  });
  return invalid.length === 0 ? query : { ...query, invalid: Object.fromEntries(invalid) };
}

const noFilters: FilterTypes = {};
const noColumns: readonly string[] = [];

function singleValue(parameters: URLSearchParams, key: string): string | undefined {
  const [value, ...others] = parameters.getAll(key);
  if (others.length > 0) throw errors.E_QUERY_INVALID(key, "must be given once");
  return value === "" ? undefined : value;
}

function searchTextOf(key: "filter" | "text", text: string | undefined, report: ReportInvalid): string | undefined {
  if (text === undefined) return undefined;
  // A character has at most two UTF-16 code units: this rejects very long texts before counting.
  if (text.length > 2 * maxFilterLength || Array.from(text).length > maxFilterLength) {
    report(key, `at most ${maxFilterLength} characters`, `must have at most ${maxFilterLength} characters`);
  } else if (text.includes("\0")) report(key, "a text without NUL", "must not contain the character NUL");
  else return text;
  return undefined;
}

function limitOf(text: string, maxLimit: number): number {
  const limit = digitsOf("limit", text);
  if (limit === 0) throw errors.E_QUERY_INVALID("limit", "must be 1 or more");
  return Math.min(limit, maxLimit);
}

function offsetOf(text: string): number {
  const offset = digitsOf("offset", text);
  if (!Number.isSafeInteger(offset)) throw errors.E_QUERY_INVALID("offset", "is too large");
  return offset;
}

function digitsOf(key: string, text: string): number {
  if (!/^[0-9]+$/.test(text)) throw errors.E_QUERY_INVALID(key, "must be a whole number, in the digits 0 to 9");
  return Number(text);
}

function cursorOf(key: "after" | "before", text: string): string {
  if (text.length > maxCursorLength || !/^[\w.~-]+$/.test(text))
    throw errors.E_QUERY_INVALID(key, "is not a valid cursor");
  return text;
}
