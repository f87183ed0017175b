import { Schema } from "../../schema/index.ts";
import {
  type DescribedSchema,
  type Method,
  parametersOf,
  type ResponseDescriptions,
  type RouteDescription,
} from "../../http/router/index.ts";
import { problem } from "../openapi/description.ts";
import { type QueryRules, withDefaults } from "./query.ts";
import { type FilterType, filterParameters } from "./query-filters.ts";
import { defaultMaxLimit, maxCursorLength, maxFilterLength } from "./query-limits.ts";
import type { Action, Identified } from "./contract.ts";
import type { JsonOptions } from "./json-controller.ts";
import { messagesOf } from "./messages.ts";
import type { OperationsDefinition } from "./operations.ts";
import { selectableFields } from "./presenter.ts";

/** Returns the OpenAPI description of an action and method of `jsonOfService`. */
export type DescribeAction = (action: Action, method: Method) => RouteDescription | undefined;

/** Options of `describeJson`. */
export interface JsonDescriptionOptions<T, Input>
  extends JsonOptions<T>, Pick<OperationsDefinition<T>, "parent" | "isSingular"> {
  readonly name: string;
  readonly schema: Schema.RecordSchema<Input>;
  readonly jsonSchema?: DescribedSchema;
}

/** Describes the routes of a JSON resource, as `jsonControllerOfService` answers them. */
export function describeJson<T extends Identified, Input>(options: JsonDescriptionOptions<T, Input>): DescribeAction {
  const { name, schema, isId } = options;
  const { label } = messagesOf(name, options.messages);
  const item = options.jsonSchema ?? (options.json === undefined ? itemSchema(label, options) : {});
  const creation = { ...schema.jsonSchema.input.schema, title: `${label} input` };
  const replacement = withVersion(creation, options);
  const changes = { ...withVersion(partialSchema(schema), options), title: `${label} changes` };
  const hasVersions = options.versions === true || options.versions === "optional";
  const params = { properties: { ...parentSchemas(options), id: idSchema(isId === undefined) } };

  const bodyProblems = {
    400: problem("The body is not valid JSON"),
    413: problem("The body is too large"),
    415: problem("The body is not JSON"),
  };
  const invalidProblem = {
    422: problem("A field is not valid, or the service refused: `errors` has messages by field"),
  };
  const notFoundProblem = { 404: problem("There is no such item") };
  const noParentProblem = options.parent === undefined ? {} : { 404: problem("There is no such parent") };
  const etag = hasVersions ? { etag: "The version of the item, a hyphen and a hash" } : {};
  const shown = hasVersions ? { body: item, headers: etag } : item;
  const contentLocation = { "content-location": "The URL path of the item, with the selected `fields`" };
  const changed = { body: item, headers: { ...contentLocation, ...etag } };
  const listLabel = name.split("/").at(-1)?.replaceAll(/[-_.]/g, " ");
  const describeOperation = (summary: string, id: string, responses: ResponseDescriptions): RouteDescription => ({
    id: `${name.replaceAll("/", ".")}.${id}`,
    summary,
    tags: [name],
    responses: responses,
    ...(options.parent === undefined && options.isSingular !== true ? {} : { params }),
  });

  return (action, method) => {
    switch (action) {
      case "index": {
        const query = querySchema(options);
        return {
          ...describeOperation(`List ${listLabel}`, "index", {
            200: pageSchema(item),
            400: problem("The query is not valid"),
            ...noParentProblem,
          }),
          query: { ...query, properties: { ...(query["properties"] as object), ...selectionSchemas(options) } },
        };
      }
      case "create": {
        const created = { body: item, headers: { location: "The URL path of the item", ...contentLocation, ...etag } };
        return {
          ...describeOperation(`Create ${label}`, "create", {
            201: created,
            ...bodyProblems,
            ...noParentProblem,
            ...invalidProblem,
          }),
          body: creation,
        };
      }
      case "show": {
        const properties = selectionSchemas(options);
        const query = Object.keys(properties).length === 0 ? {} : { query: { type: "object", properties } };
        const invalidQuery = "query" in query ? { 400: problem("The query is not valid") } : {};
        const conditions = hasVersions
          ? { 304: "The client has this version", 412: problem("`If-Match` lists another version") }
          : {};
        return {
          ...describeOperation(`Show ${label}`, "show", {
            200: shown,
            ...invalidQuery,
            ...notFoundProblem,
            ...conditions,
          }),
          ...query,
          params,
          ...(hasVersions ? { headers: { "if-none-match": "Entity tags of the versions that the client has" } } : {}),
        };
      }
      case "update": {
        const responses = {
          200: changed,
          ...bodyProblems,
          ...notFoundProblem,
          ...invalidProblem,
          ...versionProblems(options),
        };
        return method === "PATCH"
          ? {
              ...describeOperation(`Change ${label}`, "change", responses),
              ...versionHeaders(options),
              params,
              body: changes,
            }
          : {
              ...describeOperation(`Replace ${label}`, "update", responses),
              ...versionHeaders(options),
              params,
              body: replacement,
            };
      }
      case "destroy":
        return {
          ...describeOperation(`Delete ${label}`, "destroy", {
            204: "The item is deleted",
            ...notFoundProblem,
            ...versionProblems(options),
            409: problem(hasVersions ? "The service refused, or `version` is another one" : "The service refused"),
          }),
          ...versionHeaders(options),
          params,
        };
      default:
        return undefined;
    }
  };
}

type DescribedVersions = Pick<JsonDescriptionOptions<never, never>, "versions">;

/** Returns the responses to a change of an item with versions. */
function versionProblems({ versions }: DescribedVersions): ResponseDescriptions {
  if (versions === undefined || versions === false) return {};
  return {
    409: problem("`version` in the body is not that of the item"),
    412: problem("`If-Match` lists no tag of the item's version"),
    ...(versions === true ? { 428: problem("The request has neither `If-Match` nor `version` in the body") } : {}),
  };
}

function versionHeaders({ versions }: DescribedVersions): Pick<RouteDescription, "headers"> {
  if (versions === undefined || versions === false) return {};
  return {
    headers: {
      "if-match": "Entity tag of the item, or its version in quotes. The alternative is `version` in the body",
    },
  };
}

/** Returns the schemas of `fields` and `include`. */
function selectionSchemas<T, Input>(options: JsonDescriptionOptions<T, Input>): Schema.JsonSchema {
  const include = Object.keys(options.include ?? {});
  const fields =
    options.fields === undefined && include.length === 0 ? [] : (selectableFields(options.schema, options) ?? []);
  const listSchema = (what: string, names: readonly string[]): Schema.JsonSchema => ({
    type: "string",
    description: `${what}, separated by commas: ${names.join(", ")}`,
  });
  return {
    ...(fields.length === 0 ? {} : { fields: listSchema("Properties of an item", fields) }),
    ...(include.length === 0 ? {} : { include: listSchema("Relations of an item", include) }),
  };
}

/** Returns the schemas of the parameters of the parents. One with a type is described by the router. */
function parentSchemas<T, Input>({ parent }: JsonDescriptionOptions<T, Input>): Schema.JsonSchema {
  const untyped = parametersOf(parent?.path ?? "").filter(({ type }) => type === "text");
  return Object.fromEntries(untyped.map(({ name }) => [name, idSchema(parent?.isId === undefined)]));
}

/** Adds the version of the item to the schema of a body. */
function withVersion(schema: Schema.JsonSchema, { versions }: DescribedVersions): Schema.JsonSchema {
  if (versions === undefined || versions === false) return schema;
  const description = "Version of the item that is changed, in place of `If-Match`";
  return { ...schema, properties: { ...(schema["properties"] as object), version: { ...versionSchema, description } } };
}

const versionSchema = { type: "integer", minimum: 0 };

const idSchema = (isUuid: boolean): Schema.JsonSchema => ({ type: "string", ...(isUuid ? { format: "uuid" } : {}) });

/** Returns the schema of a PATCH body. A schema without properties of its own, such as a union, is described as any object. */
function partialSchema<Input>(schema: Schema.RecordSchema<Input>): Schema.JsonSchema {
  if (schema.jsonSchema.input.schema["properties"] === undefined) return { type: "object" };
  const { $schema: _, ...partial } = Schema.partial(schema)["~standard"].jsonSchema.input({ target: "draft-2020-12" });
  return partial;
}

/** Returns the default schema of an item in JSON. */
function itemSchema<T, Input>(label: string, options: JsonDescriptionOptions<T, Input>): Schema.JsonSchema {
  const { schema, isId, versions = false } = options;
  const publicFields = schema.fields.flatMap((name) => {
    const field = schema.field(name);
    return field === undefined || field.isSensitive ? [] : [[name, field.jsonSchema.output] as const];
  });
  const dateTime = { type: "string", format: "date-time" };
  return {
    title: label,
    type: "object",
    properties: {
      id: idSchema(isId === undefined),
      ...Object.fromEntries(publicFields.map(([name, part]) => [name, part.schema])),
      ...(versions === false ? {} : { version: versionSchema }),
      created_at: dateTime,
      updated_at: dateTime,
    },
    // Definitions that the properties of another library's schema refer to.
    ...(schema.jsonSchema.output.schema["$defs"] === undefined
      ? {}
      : { $defs: schema.jsonSchema.output.schema["$defs"] }),
    required: ["id", ...publicFields.filter(([, { isRequired }]) => isRequired).map(([name]) => name)],
  };
}

const countSchema = { type: "integer", minimum: 0 };
const cursorSchema = { type: ["string", "null"] };

const pageSchema = (item: unknown): Schema.JsonSchema => ({
  type: "object",
  properties: {
    data: { type: "array", items: item },
    total: { ...countSchema, description: "Number of items on all pages; absent in a list that does not count them" },
    limit: { ...countSchema, description: "Number of items on a page" },
    offset: {
      ...countSchema,
      description: "Number of items before the page; absent on a page at a cursor in a list without a total",
    },
    next: {
      ...cursorSchema,
      description: "Cursor of the next page, for `after`. `null` on the last page, absent in a list without cursors",
    },
    previous: { ...cursorSchema, description: "Cursor of the previous page, for `before`. `null` on the first page" },
  },
  required: ["data", "limit"],
});

const { limit, offset, sort } = withDefaults({});
const querySchema = ({
  maxLimit = defaultMaxLimit,
  filterBy = {},
  sortBy = [],
  text = false,
}: QueryRules): Schema.JsonSchema => ({
  type: "object",
  properties: {
    ...Object.fromEntries(Object.entries(filterBy).flatMap(([name, type]) => filterSchemas(name, type))),
    ...(text
      ? { text: { type: "string", maxLength: maxFilterLength, description: "Words that the items must contain" } }
      : {}),
    filter: { type: "string", maxLength: maxFilterLength, description: "Text that the items must contain" },
    limit: {
      type: "integer",
      minimum: 1,
      default: Math.min(limit, maxLimit),
      description: `Number of items on a page, at most ${maxLimit}`,
    },
    offset: { ...countSchema, default: offset, description: "Number of items before the page" },
    sort:
      sortBy.length === 0
        ? { type: "string", enum: ["asc", "desc"], default: sort }
        : {
            type: "string",
            default: sort,
            description: `Direction (asc, desc), or columns separated by commas, with a hyphen for descending: ${sortBy.join(", ")}`,
          },
    after: {
      type: "string",
      maxLength: maxCursorLength,
      description: "`next` of the previous page, in place of `offset`",
    },
    before: {
      type: "string",
      maxLength: maxCursorLength,
      description: "`previous` of the next page, in place of `offset`",
    },
  },
});

/** Returns the parameters of a filter with their schemas. */
function filterSchemas(
  name: string,
  type: FilterType,
): readonly (readonly [name: string, schema: Schema.JsonSchema])[] {
  const value = type.isNullable ? { anyOf: [type.schema, { const: "none" }] } : type.schema;
  const schema = type.kind === "any" ? { type: "array", items: value } : value;
  return filterParameters(name, type).map((parameter) => [parameter, schema]);
}
