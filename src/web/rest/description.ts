import { Schema } from "../../schema/index.ts";
import type { DescribedSchema, Method, ResponseDescriptions, RouteDescription } from "../../http/router/index.ts";
import { problem } from "../openapi/description.ts";
import { withDefaults } from "./query.ts";
import { defaultMaxLimit, maxCursorLength, maxFilterLength } from "./query-limits.ts";
import type { Action, Identified } from "./contract.ts";
import type { JsonOptions } from "./json-controller.ts";
import { messagesOf } from "./messages.ts";

/** Returns the OpenAPI description of an action and method of `jsonOfService`. */
export type DescribeAction = (action: Action, method: Method) => RouteDescription | undefined;

/** Options of `describeJson`. */
export interface JsonDescriptionOptions<T, Input> extends JsonOptions<T> {
  readonly name: string;
  readonly schema: Schema.RecordSchema<Input>;
  readonly jsonSchema?: DescribedSchema;
}

/** Describes the routes of a JSON resource, as `jsonControllerOfService` answers them. */
export function describeJson<T extends Identified, Input>(options: JsonDescriptionOptions<T, Input>): DescribeAction {
  const { name, schema, isId, maxLimit = defaultMaxLimit } = options;
  const { label } = messagesOf(name, options.messages);
  const item = options.jsonSchema ?? (options.json === undefined ? itemSchema(label, schema, isId === undefined) : {});
  const input = { ...schema.jsonSchema.input.schema, title: `${label} input` };
  const { $schema: _, ...partialSchema } = Schema.partial(schema)["~standard"].jsonSchema.input({
    target: "draft-2020-12",
  });
  const changes = { ...partialSchema, title: `${label} changes` };
  const params = { properties: { id: idSchema(isId === undefined) } };

  const bodyProblems = {
    400: problem("The body is not valid JSON"),
    413: problem("The body is too large"),
    415: problem("The body is not JSON"),
  };
  const invalidProblem = {
    422: problem("A field is not valid, or the service refused: `errors` has messages by field"),
  };
  const notFoundProblem = { 404: problem("There is no such item") };
  const listLabel = name.split("/").at(-1)?.replaceAll(/[-_.]/g, " ");
  const describeOperation = (summary: string, id: string, responses: ResponseDescriptions): RouteDescription => ({
    id: `${name.replaceAll("/", ".")}.${id}`,
    summary,
    tags: [name],
    responses: responses,
  });

  return (action, method) => {
    switch (action) {
      case "index":
        return {
          ...describeOperation(`List ${listLabel}`, "index", {
            200: pageSchema(item),
            400: problem("The query is not valid"),
          }),
          query: querySchema(maxLimit),
        };
      case "create": {
        const created = { body: item, headers: { location: "The URL path of the item" } };
        return {
          ...describeOperation(`Create ${label}`, "create", { 201: created, ...bodyProblems, ...invalidProblem }),
          body: input,
        };
      }
      case "show":
        return { ...describeOperation(`Show ${label}`, "show", { 200: item, ...notFoundProblem }), params };
      case "update": {
        const responses = { 200: item, ...bodyProblems, ...notFoundProblem, ...invalidProblem };
        return method === "PATCH"
          ? { ...describeOperation(`Change ${label}`, "change", responses), params, body: changes }
          : { ...describeOperation(`Replace ${label}`, "update", responses), params, body: input };
      }
      case "destroy":
        return {
          ...describeOperation(`Delete ${label}`, "destroy", {
            204: "The item is deleted",
            ...notFoundProblem,
            409: problem("The service refused"),
          }),
          params,
        };
      default:
        return undefined;
    }
  };
}

const idSchema = (isUuid: boolean): Schema.JsonSchema => ({ type: "string", ...(isUuid ? { format: "uuid" } : {}) });

/** Returns the default schema of an item in JSON. */
function itemSchema<Input>(label: string, schema: Schema.RecordSchema<Input>, isUuid: boolean): Schema.JsonSchema {
  const publicFields = schema.fields.flatMap((name) => {
    const field = schema.field(name);
    return field === undefined || field.isSensitive ? [] : [[name, field.jsonSchema.output] as const];
  });
  const dateTime = { type: "string", format: "date-time" };
  return {
    title: label,
    type: "object",
    properties: {
      id: idSchema(isUuid),
      ...Object.fromEntries(publicFields.map(([name, part]) => [name, part.schema])),
      created_at: dateTime,
      updated_at: dateTime,
    },
    required: ["id", ...publicFields.filter(([, { isRequired }]) => isRequired).map(([name]) => name)],
  };
}

const countSchema = { type: "integer", minimum: 0 };
const cursorSchema = { type: ["string", "null"] };

const pageSchema = (item: unknown): Schema.JsonSchema => ({
  type: "object",
  properties: {
    data: { type: "array", items: item },
    total: { ...countSchema, description: "Number of items on all pages" },
    limit: { ...countSchema, description: "Number of items on a page" },
    offset: { ...countSchema, description: "Number of items before the page" },
    next: {
      ...cursorSchema,
      description: "Cursor of the next page, for `after`. `null` on the last page, absent in a list without cursors",
    },
    previous: { ...cursorSchema, description: "Cursor of the previous page, for `before`. `null` on the first page" },
  },
  required: ["data", "total", "limit", "offset"],
});

const { limit, offset, sort } = withDefaults({});
const querySchema = (maxLimit: number): Schema.JsonSchema => ({
  type: "object",
  properties: {
    filter: { type: "string", maxLength: maxFilterLength, description: "Text that the items must contain" },
    limit: {
      type: "integer",
      minimum: 1,
      default: Math.min(limit, maxLimit),
      description: `Number of items on a page, at most ${maxLimit}`,
    },
    offset: { ...countSchema, default: offset, description: "Number of items before the page" },
    sort: { type: "string", enum: ["asc", "desc"], default: sort },
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
