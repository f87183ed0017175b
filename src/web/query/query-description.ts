// Parameters of the query of a list, for OpenAPI documents.
import type { Schema } from "../../schema/index.ts";
import { type QueryRules, withDefaults } from "./query.ts";
import { type FilterType, filterParameters, searchTextSchema } from "./query-filters.ts";
import { defaultMaxLimit, maxCursorLength, maxFilterValues, maxSortColumns } from "./query-types.ts";

/** Schema of a number of items. */
export const countSchema: Schema.JsonSchema = { type: "integer", minimum: 0 };

const anyOfPattern = (names: readonly string[]): string =>
  `(${names.map((name) => name.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&")).join("|")})`;

const listPattern = (entry: string, maxCount?: number): string =>
  `${entry}(,${entry})${maxCount === undefined ? "*" : `{0,${maxCount - 1}}`}`;

/** Returns the schema of a text of names that are separated by commas. */
export const namesSchema = (what: string, names: readonly string[]): Schema.JsonSchema => ({
  type: "string",
  pattern: `^${listPattern(anyOfPattern(names))}$`,
  description: `${what}, separated by commas: ${names.join(", ")}`,
});

const cursorPattern = "^[A-Za-z0-9_.~-]+$";

const { limit, offset, sort } = withDefaults({});

/** Returns the schema of the query of a list. */
export const querySchema = ({
  maxLimit = defaultMaxLimit,
  filterBy = {},
  sortBy = [],
  text = false,
}: QueryRules): Schema.JsonSchema => ({
  type: "object",
  properties: {
    ...Object.fromEntries(Object.entries(filterBy).flatMap(([name, type]) => filterSchemas(name, type))),
    ...(text ? { text: { ...searchTextSchema, description: "Words that the items must contain" } } : {}),
    filter: { ...searchTextSchema, description: "Text that the items must contain" },
    limit: {
      type: "integer",
      minimum: 1,
      default: Math.min(limit, maxLimit),
      description: `Number of items on a page, at most ${maxLimit}`,
    },
    offset: {
      ...countSchema,
      maximum: Number.MAX_SAFE_INTEGER,
      default: offset,
      description: "Number of items before the page",
    },
    sort:
      sortBy.length === 0
        ? { type: "string", enum: ["asc", "desc"], default: sort }
        : {
            type: "string",
            pattern: `^(asc|desc|${listPattern(`-?${anyOfPattern(sortBy)}`, maxSortColumns)})$`,
            default: sort,
            description: `Direction (asc, desc), or columns separated by commas, each at most once, with a hyphen for descending: ${sortBy.join(", ")}`,
          },
    after: {
      type: "string",
      pattern: cursorPattern,
      maxLength: maxCursorLength,
      description: "`next` of the previous page, instead of `offset`",
    },
    before: {
      type: "string",
      pattern: cursorPattern,
      maxLength: maxCursorLength,
      description: "`previous` of the next page, instead of `offset`",
    },
  },
});

function filterSchemas(name: string, type: FilterType): readonly (readonly [string, Schema.JsonSchema])[] {
  const value = type.isNullable ? { anyOf: [type.schema, { const: "none" }] } : type.schema;
  const schema = type.kind === "any" ? { type: "array", items: value, maxItems: maxFilterValues } : value;
  return filterParameters(name, type).map((parameter) => [parameter, schema]);
}
